//! Programs that have a language of their own, in which they start others or write files.

use crate::commands;
use crate::deny::is_denied;

#[test]
fn scripts_of_sed() {
    commands(
        "Bash(sed:*)",
        &[
            "+sed 's/a/b/' x",
            "+sed -n '1,5p;$p' x",
            "+sed -nE '/^a{2}$/,+3{s|/e|w|gp;=}' x",
            "+sed -e 's/w/e/g' -e '/e/!d' x",
            "+sed --expression='y/we/ew/' x",
            "+sed -i.bak 's/one/two/' x",
            "+sed -i '' 's/one/two/' x",
            "+sed ':a;N;$!ba;s/\\n/ /g' x",
            "+sed '2i\\\ne is a word' x",
            "+sed 's/a/b/w /dev/stdout' x",
            "+sed 's/[^/]*$//' x",
            "+sed 's/[/]/_/g;s|[]|^]||' x",
            "+sed 's/[[:space:]/]*$//; /[^]/]/d' x",
            "+sed -e :a -e '$!{N;ba' -e '}' x",
            "-sed --sandbox -e '1e ls' x",
            "-sed -e '1e ls' --sandbox x",
            "-sed '# x \\\n1e ls' x",
            "-sed 'r foo\\\n1e ls' x",
            "-sed 'tx 1e ls\n:x' x",
            "-sed ':a 1e ls' x",
            "-sed 'v 4.2 1e ls' x",
            "-sed 's/[/]/p;#\\nls/e' x",
            "-sed 's/[/]x/;e ls;s/]/y/' x",
            "-sed 's/[[:/]/x/;e ls #:]]/y/' x",
            "+sed -n '/e/p' ./\"$X\" y",
            "-sed '1e touch x' x",
            "-sed e",
            "-sed 's/a/b/e' x",
            "-sed 's/a/b/ge' x",
            "-sed -n '1w /etc/x' x",
            "-sed 's/a/b/w out' x",
            "-sed '/a/W out' x",
            "-sed '{p;e ls\n}' x",
            "-sed -e p -e '1e ls' x",
            "-sed -ne '1e ls' x",
            "-sed --expression='1e ls' x",
            "-sed p -e '1e ls' x",
            "-sed -- '1e ls' x",
            "-sed -i '' '1e ls' x",
            "-sed '\\,a,e ls' x",
            "-sed -f x.sed y",
            "-sed --file=x.sed y",
            "-sed \"$X\" y",
            "-sed '?' y",
        ],
    );
    // Each is read in a dangerous way by one `sed` or another.
    commands(
        "Bash(sed:*)",
        &[
            "-sed 's/[[.].]/]/p;#\\nls/e' x",
            "-sed ':x}a\\ 1e ls' x",
            "-sed ':x;a\\\n1w out' x",
            "-sed '# x \\\ns/x/\n1w out\n#/' x",
            "-sed 'a\\  \ns/x/\n1w out\n#/' x",
            "-sed '1w out' -e p x",
            "-sed -l '1w out' p",
            "-sed 's/a/b/w /dev/stdout ' x",
            "-sed -i../x p y",
            "-sed --in-place=/tmp/x p y",
            "+sed -l 5 -n l x",
            "+sed '/[[:space:]]/s/[[:upper:]]/e/;s/w/e/' x",
            "+sed ':a;s/hello world/x/;ta' x",
            "+sed -e 's/[]\\/$*.^[]/\\\\&/g' x",
        ],
    );
    // What the list itself says is its author's choice.
    commands("Bash(sed -f x.sed:*)", &["+sed -f x.sed y"]);
}

#[test]
fn programs_of_awk() {
    commands(
        "Bash(awk:*)",
        &[
            "+awk '{print $1}' x",
            "+awk -F: '$3 > 5 || /a|b/ {print $1, ($2 > $3)}' x",
            "+awk -v 'a=1' 'BEGIN { printf \"%s | system(x) > y\", a }' x",
            "+awk '{ print \"no\" > \"/dev/stderr\" }' x",
            "+awk '/a/ { n++ } END { print n / 2 }' x",
            "+awk -F/ '{ split($0, a, /[,;]/); print a[1], $NF / 2 }' x",
            "+awk --field-separator=: --posix '{print $1}' x",
            "+awk --assign x=1 '{print x}' y",
            "-awk 'BEGIN{x=/\"/; system(\"ls\")}'",
            "-awk 'BEGIN{print /\"/; system(\"ls\")}'",
            "-awk 'BEGIN{x=/#/; system(\"ls\")}'",
            "-awk 'BEGIN{x = 4 \\\n/ system(\"ls\") / 2}'",
            "-awk '/[/]\"/ {system(\"ls\")}' x",
            "-awk 'BEGIN{print \"a\" \\\n> \"out\"}'",
            "-awk 'BEGIN{print \"a\",\n\"b\" > \"out\"}'",
            "-awk 'BEGIN{STREAM=\"out\"; print \"a\" > STREAM}'",
            "-awk --field-separator : 'BEGIN{system(\"ls\")}' x",
            "-awk --assign x=1 'BEGIN{system(\"ls\")}' x",
            "-awk '/[]/\"]\"/ && /\"/ {system(\"ls\")} #\"' x",
            "-awk '/[[:\"]/ {system(\"ls\")} #:]]/' x",
            "+awk '/^[[:space:]]*[^]]x/ {print}' x",
            "-awk --sour='BEGIN{system(\"ls\")}' x",
            "-awk -e '{print}' -e 'BEGIN{system(\"ls\")}' x",
            "-awk 'BEGIN{system(\"touch x\")}'",
            "-awk 'BEGIN{print \"x\" > \"/etc/x\"}'",
            "-awk '{print $1 >> \"x\"}' y",
            "-awk '{print | \"sh\"}' y",
            "-awk 'BEGIN{\"ls\" | getline x}'",
            "-awk -F : '{system(\"ls\")}' y",
            "-awk -f x.awk y",
            "-awk --file=x.awk y",
            "-awk -i inplace '{print}' y",
            "-awk '@load \"x\"; {print}' y",
            "-awk \"$X\" y",
        ],
    );
    // Each is read in a dangerous way by one `awk` or another.
    commands(
        "Bash(awk:*)",
        &[
            "-awk 'BEGIN{x=\"a\"system(\"ls\")}'",
            "-awk 'BEGIN{x=1system(\"ls\")}'",
            "-awk 'BEGIN{ length /\"/; system(\"ls\") }#\"'",
            "-awk 'BEGIN{ if(1) /\"/; system(\"ls\") }#\"'",
            "-awk 'BEGIN{ while(z++<1) /\"/; system(\"ls\") }#\"'",
            "-awk 'BEGIN{print 1 &&\n1 > \"out\"}'",
            "-awk 'BEGIN{print 1 ?\n1 : 2 > \"out\"}'",
            "-awk 'BEGIN{print \"x\" > \"/dev/stdout\" \"x\"}'",
            "-awk --assign 'BEGIN{system(\"ls\")}' x",
            "-awk --source='{print}' 'BEGIN{system(\"ls\")}' x",
            "-awk -rF 'BEGIN{system(\"ls\")}' x",
            "+awk '{x = /a|b/; print x}' y",
            "+awk '{print /a|b/; y = z ? /c|d/ : ($1 + $2) / 2}' x",
            "+awk -F '|' '{print $2}' x",
        ],
    );
}

#[test]
fn words_that_are_commands() {
    commands(
        "Bash(less:*) Bash(vim:*) Bash(make:*) Bash(npm test:*)",
        &[
            "+less x",
            "+make -j4 test V=1",
            "+npm test -- --watch",
            "-less +'!touch x' y",
            "-less -o out y",
            "-vim -c ':!ls' x",
            "-vim +':!ls' x",
            "-make --eval='x:;touch y' x",
            "-make SHELL=/tmp/evil",
            "+npm test --prefix web",
            "-npm test --prefix /tmp/evil",
            "-npm test -C ../evil",
            "+vim +10 x",
            "+less +F x",
        ],
    );
}

#[test]
fn variables_that_make_is_given() {
    commands(
        "Bash(make test:*) Bash(make 'X!=ls')",
        &[
            "+make test CFLAGS='-O2 -g' DESTDIR=build V:=1",
            "+make test -- x",
            "+make 'X!=ls'",
            "-make test 'X!=touch y'",
            "-make test -- 'X != touch y'",
            "-make test 'X:=$(shell touch y)'",
            "-make test 'X=$(file >y,z)'",
            "-make test 'X+=${shell touch y}'",
            "-make test '$(shell touch y)=1'",
            "-make test 'X=`touch y`'",
            "-make test 'X=; touch y'",
            "-make test SHELL:=/tmp/evil",
            "-make test 'SHELL = ./evil'",
            "-make test '.SHELLFLAGS?=-c evil'",
            "-make test PATH=.",
            "-make test LD_PRELOAD=./x.so",
            "-for x in 'X!=touch y'; do make test \"$x\"; done",
            "-for x in '!=touch y'; do make test \"X$x\"; done",
        ],
    );
}

#[test]
fn programs_that_are_told_what_to_start() {
    commands(
        "Bash(split:*) Bash(diff3:*) Bash(pandoc:*) Bash(bat:*) Bash(tcpdump:*) Bash(apt-get install:*) \
         Bash(dpkg:*) Bash(dnf:*) Bash(openssl:*) Bash(ssh-keygen:*) Bash(pdflatex:*) Bash(latexmk:*) Bash(gcc:*) \
         Bash(gh:*)",
        &[
            "+gh repo clone a/b -- --depth 1 -q",
            "+gh pr create --title 'use curl'",
            "+gh --help",
            "+gh pr list --help=false --search alias",
            "-gh alias set x '!ls'",
            "-gh --help=false alias set x '!ls'",
            "-gh --version=false -R a/b extension install a/b",
            "-gh repo clone a/b -- --upload-pack=./evil",
            "-gh repo clone a/b -- -c core.sshCommand=./evil",
            "+split -b 10M x",
            "-split --filter='touch y' x",
            "-split --fil 'touch y' x",
            "-diff3 --diff-program=./evil a b c",
            "+pandoc -fmarkdown -tdocx -o out.docx --reference-doc=x.docx in.md",
            "-pandoc -F ./evil in.md",
            "-pandoc -sF./evil in.md",
            "-pandoc --lua-filter=x.lua in.md",
            "-pandoc --pdf-engine ./evil in.md",
            "-pandoc -d x.yaml in.md",
            "-pandoc -t x.lua+smart in.md",
            "+bat --paging=never x",
            "-bat --pager 'sh -c ls' x",
            "+tcpdump -nn -wz.pcap",
            "-tcpdump -w x -z ./evil",
            "+apt-get install -y --no-install-recommends x",
            "-apt-get install -o APT::Update::Pre-Invoke::=./evil x",
            "-apt-get install -yoDpkg::Pre-Invoke::=./evil x",
            "-apt-get install --option=Dpkg::Pre-Invoke::=./evil x",
            "+dpkg -l",
            "-dpkg --pre-invoke=./evil -i x.deb",
            "-dnf --setopt=pluginpath=. install x",
            "+openssl x509 -in x -noout -enddate",
            "-openssl req -engine ./x.so",
            "-openssl engine ./x.so",
            "+ssh-keygen -t ed25519 -f key -C D",
            "-ssh-keygen -D ./x.so",
            "+pdflatex -interaction=nonstopmode x.tex",
            "-pdflatex -shell-escape x.tex",
            "-pdflatex --shell-e x.tex",
            "+latexmk -pdf -recorder x.tex",
            "-latexmk -e 'system(1)' x.tex",
            "+gcc -Wall -o x x.c",
            "-gcc @options x.c",
            "-gcc -fplugin=./x.so x.c",
        ],
    );
}

#[test]
fn programs_that_build_others() {
    commands(
        "Bash(gcc:*) Bash(clang++-17:*) Bash(aarch64-linux-gnu-gcc:*)",
        &[
            "+gcc -c x.c",
            "+gcc -O2 -Wall -o x x.c -lm -Wl,-rpath,/opt/lib -fuse-ld=lld",
            "+gcc -flto -Wl,-plugin-opt=O2 x.c",
            "+clang++-17 -std=c++20 -DB=1 -c x.cc",
            "-gcc -B./dir x.c",
            "-gcc -B ./dir x.c",
            "-gcc -wrapper ./evil x.c",
            "-gcc -wrapper=./evil x.c",
            "-gcc -Wl,-plugin,./x.so x.c",
            "-gcc -Xlinker -plugin=./x.so x.c",
            "-clang++-17 -fuse-ld=./evil x.cc",
            "-clang++-17 --ld-path=./evil x.cc",
            "-clang++-17 --gcc-toolchain=. x.cc",
            "-aarch64-linux-gnu-gcc -B. x.c",
            "-aarch64-linux-gnu-gcc -specs=x x.c",
        ],
    );
    commands(
        "Bash(go:*)",
        &[
            "+go build ./...",
            "+go build -ldflags '-s -w -X main.version=1.2' -o x ./cmd/x",
            "+go build -ldflags=-B=0x12 -trimpath .",
            "+go build -gcflags='all=-N -l -B' .",
            "+go build -ldflags '-linkmode external -extldflags \"-static -lm\"' .",
            "+go env GOPATH CC",
            "+go test -run env -v ./...",
            "-go build -toolexec ./evil ./...",
            "-go build -toolexec=./evil ./...",
            "-go build -ldflags=-extld=./evil .",
            "-go build --ldflags '-s -extld ./evil' .",
            "-go build -ldflags 'all=-extld=./evil' .",
            "-go build -ldflags '-extldflags=-B./dir' .",
            "-go build -ldflags '-extldflags \"-fuse-ld=./evil\"' .",
            "-go build -gcflags=-cpuprofile=/etc/x .",
            "-go build -ldflags \"$X\" .",
            "-go env -w CC=./evil",
            "-go -C sub env -w=true CC=./evil",
        ],
    );
    commands(
        "Bash(latexmk:*)",
        &[
            "+latexmk -pdf -outdir=build x.tex",
            "+latexmk -pdf -pdflatex='pdflatex -interaction=nonstopmode -synctex=1 %O %S' x.tex",
            "+latexmk -lualatex=lualatex -latexoption=-halt-on-error x.tex",
            "-latexmk -pdflatex=./evil x.tex",
            "-latexmk --pdflatex='evil %O %S' x.tex",
            "-latexmk -xelatex='xelatex %O %S; ls' x.tex",
            "-latexmk -pdf -pdflatex='pdflatex -shell-escape %O %S' x.tex",
            "-latexmk -pdflatex='/tmp/pdflatex %O %S' x.tex",
            "-latexmk -latexoption='; ls' x.tex",
            "-latexmk -latexoption=-shell-escape x.tex",
            "-latexmk -usepretex=\"'; ls '\" x.tex",
            "-latexmk -dF ./evil x.tex",
        ],
    );
}

#[test]
fn commands_that_run_later() {
    commands(
        "Bash(at:*) Bash(batch) Bash(crontab:*)",
        &[
            "+at -l",
            "+at -qa -l",
            "+at -r 3",
            "+crontab -l",
            "-at now <<< 'rm x'",
            "-at now <<'E'\nrm x\nE",
            "-echo 'rm x' | at now",
            "-at -f x.sh now",
            "-at -q l now",
            "-at -l -b",
            "-at now -- -l",
            "-at $X now",
            "-batch <<< 'rm x'",
            "-crontab -",
            "-crontab x",
            "-crontab -e",
        ],
    );
    // What the list itself says is its author's choice.
    commands("Bash(at now:*)", &["+at now <<< 'rm x'"]);
}

#[test]
fn addresses_of_socat() {
    commands(
        "Bash(socat:*)",
        &[
            "+socat - TCP:host:80",
            "+socat -d -d -T 5 -lp name STDIO UNIX-CONNECT:/run/x.sock",
            "+socat -lf sub/log TCP-LISTEN:80,fork,reuseaddr OPENSSL:host:443,verify=0",
            "+socat -u FILE:sub/x,create TCP:host:80!!-",
            "+socat pty,raw,echo=0 PTY,link=sub/tty",
            "-socat - EXEC:'rm x'",
            "-socat - 'exec:rm x,pty'",
            "-socat - SYSTEM:ls",
            "-socat - 'E\"XE\"C:ls'",
            "-socat - '-!!SHELL:ls'",
            "-socat - \"$X\"",
            "-socat - TCP:$HOST:80",
            "-socat - TUN:10.0.0.1/8",
            "-socat -u - CREATE:/etc/x",
            "-socat -u - OPEN:.envrc,creat",
            "-socat -u - ./.git/hooks/x",
            "-socat -lf/etc/x - -",
            "-socat -r ../x - TCP:host:80",
            "-socat - PTY,link=/etc/x",
            "-socat - UNIX-LISTEN:/etc/x",
        ],
    );
}

#[test]
fn editors_and_what_they_are_told() {
    commands(
        "Bash(vim:*) Bash(nvim:*) Bash(emacs:*) Bash(ed:*) Bash(ex:*) Bash(dc:*)",
        &[
            "+vim -R x",
            "-vim -V9out x",
            "-vim -i x y",
            "-vim -es x",
            "-vim --startuptime out x",
            "-nvim -l x.lua",
            "+emacs x",
            "-emacs --batch --eval '(shell-command \"ls\")'",
            "-emacs -batch -l x.el",
            "-emacs --ev='(ls)'",
            "-ed x <<'E'\n!ls\nE",
            "+ed -r x",
            "-ex x",
            "+dc -e '2 3 + p'",
            "+dc -e '[p]sa 1 2 !<a'",
            "-dc -e '!ls'",
            "-dc -e '?'",
            "-dc x",
            "-dc",
        ],
    );
}

#[test]
fn databases_and_what_they_are_told() {
    commands(
        "Bash(sqlite3:*) Bash(psql:*) Bash(mysql:*)",
        &[
            "+sqlite3 x.db 'select 1'",
            "+sqlite3 -header -csv ./x.db .tables",
            "+sqlite3 -cmd '.mode csv' x.db 'select * from edited'",
            "+sqlite3 --version",
            "-sqlite3 x.db '.shell ls'",
            "-sqlite3 x.db .system ls",
            "-sqlite3 x.db '.output |ls' 'select 1'",
            "-sqlite3 x.db '.import |ls t'",
            "-sqlite3 -cmd '.sh ls' x.db 'select 1'",
            "-sqlite3 -init x y.db 'select 1'",
            "-sqlite3 x.db \"select writefile('/etc/x', 'y')\"",
            "-sqlite3 x.db \"$X\"",
            "-sqlite3 x.db",
            "-sqlite3 x.db < x.sql",
            "+psql -h host -c 'select 1' db",
            "+psql -lqt",
            "+psql db -c '\\dt'",
            "+psql -d \"$X\" -c 'select 1'",
            "+psql -c 'select 1' -- \"$X\"",
            "-psql \"$X\" -c 'select 1'",
            "-psql -- \"$X\"",
            "-psql -c '\\! ls'",
            "-psql -tc '\\! ls'",
            "-psql --command='\\d \\! ls'",
            "-psql -c '\\o |ls'",
            "-psql -c '\\d `ls`'",
            "-psql -c \"copy t to program 'ls'\"",
            "-psql -c \"\\\\copy t to program 'ls'\"",
            "-psql -o '|ls' -c 'select 1'",
            "-psql -f x.sql",
            "-psql db",
            "+mysql -u me -psecret -e 'select 1' db",
            "-mysql -e 'system ls'",
            "-mysql -e 'select 1;\\! ls'",
            "-mysql --pager=ls -e 'select 1'",
            "-mysql db",
        ],
    );
}

#[test]
fn files_that_options_name() {
    commands(
        "Bash(curl:*) Bash(wget:*) Bash(tar:*) Bash(make:*) Bash(git:*)",
        &[
            "+curl -sSLo out.json https://x/y",
            "+curl -o - https://x/y",
            "+curl -s -o /dev/null -w '%{http_code}' https://x/y",
            "+curl -H 'Accept: o' --output sub/out https://x/y",
            "-curl -o /etc/x https://x/y",
            "-curl -sSLo ../x https://x/y",
            "-curl -o/etc/x https://x/y",
            "-curl --output=/etc/x https://x/y",
            "-curl --output-dir /etc -O https://x/y",
            "-curl -o .git/hooks/pre-commit https://x/y",
            "-curl -D /etc/x https://x/y",
            "-curl -o '#1' 'https://x/{..}'",
            "+wget -qO- https://x/y",
            "+wget -P sub https://x/y",
            "-wget -O /etc/x https://x/y",
            "-wget -qP /etc https://x/y",
            "+tar -xf x.tgz",
            "+tar xzf /tmp/x.tgz",
            "+tar -xzf x.tgz -C sub",
            "+tar czf x.tgz sub",
            "+tar -C /srv -czf x.tgz .",
            "-tar -C /etc -xf x.tgz",
            "-tar -xf x.tgz --directory=/etc",
            "-tar xfC x.tgz /etc",
            "-tar -xC/etc -f x.tgz",
            "-tar -cf /etc/x sub",
            "-tar xf host:x.tgz",
            "+make -f sub/build.mk all",
            "+make -j4 -C sub all",
            "-make -f /dev/stdin",
            "-make -f -",
            "-make -C /tmp/evil",
            "-git worktree add ../x",
            "-git worktree add /x main",
            "-git clone https://x/y /etc/z",
            "-git init /etc/z",
            "-git apply --unsafe-paths x",
            "+git worktree add sub main",
            "+git worktree list",
            "+git clone --depth 1 https://x/y sub",
            "+git init",
        ],
    );
    commands(
        "Bash(curl:*) Bash(git:*) Bash(cd:*)",
        &[
            "-cd /etc && curl -o x https://x/y",
            "+cd sub && git clone --depth 1 https://x/y",
        ],
    );
}

#[test]
fn files_that_addresses_name() {
    commands(
        "Bash(curl:*) Bash(wget:*) Bash(git:*)",
        &[
            "+curl -sSLO https://x/y.tgz",
            "+curl -O -H 'Accept: .x' --header \"Token: $T\" https://x/a/y.tgz",
            "+curl -O 'https://x/y.tgz?raw=1#top'",
            "+curl https://x/.well-known/.y",
            "+curl -o y https://x/.y",
            "+curl -w '%{http_code} %output{sub/log}x' https://x/y",
            "-curl -s -O http://x/.envrc",
            "-curl --remote-name --url http://x/.envrc",
            "-curl --remote-name-all http://x/y http://x/.envrc",
            "-curl -O -- http://x/.envrc",
            "-curl -O 'http://x/y?/.envrc'",
            "-curl -O 'http://x/{y,.envrc}'",
            "-curl -O \"http://x/$Y\"",
            "-curl -OJ http://x/y",
            "-curl -O --remote-header-name http://x/y",
            "-curl --url @urls",
            "-curl -w '%output{.git/hooks/x}y' https://x/y",
            "-curl -w '%output{>>/etc/x}y' https://x/y",
            "-curl --write-out @format https://x/y",
            "-curl --write-out='%output{.envrc}y' https://x/y",
            "-curl --url=@urls",
            "-curl -O --url=http://x/.envrc",
            "+curl -O --url=http://x/y",
            "-curl --variable f=.envrc --expand-output '{{f}}' https://x/y",
            "+curl --variable t@token --expand-header 'Token: {{t}}' https://x/y",
            "+wget https://x/y.tgz https://x/",
            "+wget -q --header \"Token: $T\" -P sub https://x/.well-known/y",
            "+wget -O y https://x/.y",
            "+wget --spider https://x/.y",
            "+wget -r -np -nH -P sub https://x/docs/",
            "+wget -m https://x/docs/",
            "-wget -q -r -nH http://x/.git/config",
            "-wget -qrnH http://x/",
            "-wget --mirror --no-host-directories http://x/",
            "-wget -r -nd -P ./ http://x/",
            "-wget -x http://x/.git/config",
            "-wget http://x/.envrc",
            "-wget http://x/%2eenvrc",
            "-wget \"http://x/$Y\"",
            "-wget -i urls",
            "-wget --content-disposition http://x/y",
            "-wget --default-page=.envrc http://x/",
            "+git clone -b main https://x/y.git",
            "+git clone ./x/.git",
            "+git clone https://x/.github profile",
            "-git clone https://a/b .vscode",
            "-git clone https://a/.vscode",
            "-git clone a:.vscode/ --depth 1",
            "-git clone https://a/.vscode -b main",
        ],
    );
    commands(
        "Bash(curl:*) Bash(wget:*) Bash(cd:*)",
        &[
            "-cd .git/hooks && curl -O https://x/post-commit",
            "-cd .git/hooks && wget https://x/post-commit",
            "+cd sub && curl https://x/y",
        ],
    );
}

#[test]
fn files_that_tar_keeps() {
    commands(
        "Bash(tar:*)",
        &[
            "+tar -cf x.tar -g sub/snapshot sub",
            "+tar --list --file x.tar",
            "+tar -xf x.tar -g /dev/null",
            "+tar -xf x.tar -C .",
            "-tar -cf x.tar -g /tmp/snapshot sub",
            "-tar -cf x.tar --listed-incremental=/tmp/snapshot sub",
            "-tar -cf x.tar --listed /tmp/snapshot sub",
            "-tar -cvf x.tar --index-file=/tmp/index sub",
            "-tar -cMf x.tar --volno-file .envrc sub",
            "-tar -xf x.tar -C .git",
        ],
    );
}

#[test]
fn denied_commands_in_them() {
    for command in [
        "less '+!rm x' f",
        "vim -c ':!rm x'",
        "expect -c 'spawn rm x'",
        "sqlite3 ':memory:' '.shell rm x'",
        "psql -c '\\! rm x'",
        "dc -e '!rm x'",
        "m4 -D 'x=syscmd(rm)'",
        "at now <<< 'rm x'",
        "batch <<'E'\nrm x\nE",
        "echo '* * * * * rm x' | crontab -",
        "sudo -u x at now <<< 'rm x'",
        "timeout 5 at now <<< 'rm x'",
        "gcc -wrapper rm,x y.c",
        "gcc-12 -wrapper /bin/rm y.c",
        "go build -toolexec rm .",
        "go build -ldflags '-s -extld rm' .",
        "go env -w CC=rm",
        "latexmk -pdflatex='rm x' y.tex",
        "gh --help=false alias set x '!rm y'",
        "gh alias set x --shell 'rm y'",
        "socat - EXEC:rm",
        "socat - 'EXEC:rm x'",
        "socat - 'SYSTEM:ls; r\"\"m x'",
        "socat - 'exec:bash -li,pty'",
        "socat - 'SYSTEM:$(echo r)m x'",
        "socat -- -!!SYSTEM:'r\\m x' TCP:x:1",
    ] {
        assert!(is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
    for command in [
        "less x",
        "vim x",
        "sqlite3 x.db .tables",
        "psql -c 'select 1'",
        "gcc -c rm/rm.c",
        "go build -ldflags '-s -w' ./cmd/x",
        "at -l",
        "crontab -l",
        "socat - TCP:rm.example.com:80",
        "socat TCP-LISTEN:80,fork EXEC:cat",
        "find . -name batch",
        "sudo npm run batch",
        "time grep -r at src",
        "sudo grep -r at src",
    ] {
        assert!(!is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
}
