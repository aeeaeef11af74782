"""Requests, checked against the types of the vendors' own SDKs.

The types are made from the vendors' OpenAPI files. TypedDicts let unknown keys pass and lists are
checked lazily, so both are done here: every list is read to its end, and every key of the request
must be known.
"""

from collections.abc import Iterator, Mapping

import pydantic
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

TYPES = {
    "/v1/messages": MessageCreateParamsStreaming,
    "/v1/chat/completions": CompletionCreateParamsStreaming,
    "/v1/responses": ResponseCreateParamsStreaming,
}


def read_to_the_end(value) -> None:
    if isinstance(value, Mapping):
        for each in value.values():
            read_to_the_end(each)
    elif isinstance(value, (list, tuple, Iterator)) or type(value).__name__ == "ValidatorIterator":
        for each in value:
            read_to_the_end(each)


def check(path: str, body: dict) -> None:
    kind = TYPES[path]
    known = set()
    for base in (kind, *getattr(kind, "__orig_bases__", ())):
        known |= set(getattr(base, "__annotations__", {}))
    unknown = set(body) - known
    assert not unknown, f"{path}: unknown keys {unknown}"
    # What is read lazily needs the adapter to be there.
    adapter = pydantic.TypeAdapter(kind)
    read_to_the_end(adapter.validate_python(body))
