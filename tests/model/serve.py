"""llama.cpp's server over a model, on this machine only, with one thread.

More threads wait for one another as soon as anything else runs here, and are slower by far.
"""

import sys

import xllamacpp

model, port, context = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
parameters = xllamacpp.CommonParams()
parameters.model.path = model
parameters.hostnames = ["127.0.0.1"]
parameters.port = port
parameters.n_ctx = context
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 1
parameters.use_jinja = True
parameters.warmup = False
server = xllamacpp.Server(parameters)
print("ready", flush=True)
# Until whoever started it ends it, or closes its input.
sys.stdin.read()
