"""An engine that answers badly, for tests of `conform` and `fuzz`: hostile.py HOW, or --list.

It says who it is, and from then on does one wrong thing. The same input gets the same output.
"""
import json
import os
import random
import sys
import time


def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.flush()


def identity(request):
    return request.get("id")


def answer(request):
    return json.dumps({"id": identity(request), "verdict": "solved"}) + "\n"


def garbage(request, number):
    say(random.choice(["babble\n", "\n", "{\n", "[]\n", "null\n", '{"verdict":}\n', '{"a":1}{"b":2}\n', '"' * 9 + "\n"]))


def binary(request, number):
    say(random.randbytes(200).replace(b"\n", b"\0") + b"\xff\n")


def much(request, number):
    say(answer(request) * 3)


def little(request, number):
    if number % 2:
        say(answer(request).rstrip("\n"))


def order(request, number):
    if number % 2:
        say(answer({"id": "later"}) + answer(request))


def ids(request, number):
    wrong = [{"verdict": "solved"}, {"id": [identity(request)], "verdict": "solved"}, {"id": "?", "verdict": "solved"}]
    say(json.dumps(random.choice(wrong)) + "\n")


def types(request, number):
    wrong = [7, None, [], {}, "solved", -1, 1e300, {"var": 3}, [[[]]], {"lead": 1}]
    fields = ["sigma", "residual", "greatest", "values", "which", "witness", "rule", "constraint", "message", "kind"]
    verdicts = ["solved", "unsat", "rejected", "holds", "violated", "limit", "no such verdict", 3, None, [], {}]
    made = {field: random.choice(wrong) for field in fields if random.random() < 0.7}
    say(json.dumps({"id": identity(request), "verdict": random.choice(verdicts), **made}) + "\n")


def never(request, number):
    time.sleep(3600)


def close(request, number):
    os.close(1)
    time.sleep(3600)


def die(request, number):
    if random.random() < 0.5:
        say(answer(request)[: random.randrange(10)])
    os.kill(os.getpid(), 9) if random.random() < 0.5 else os._exit(random.randrange(256))


def flood(request, number):
    say("x" * (1 << 20))
    say("y" * (1 << 20) + "\n")


def deep(request, number):
    nested = "[" * 100000 + "]" * 100000
    say(f'{{"id":{json.dumps(identity(request))},"verdict":"solved","sigma":{nested}}}\n')


HOW = [garbage, binary, much, little, order, ids, types, never, close, die, flood, deep]


def main():
    if sys.argv[1:] == ["--list"]:
        print(*[how.__name__ for how in HOW])
        return
    how = {how.__name__: how for how in HOW}[sys.argv[1]]
    for number, line in enumerate(sys.stdin):
        random.seed(line)
        if number == 0:
            say('{"verdict":"version","name":"hostile","version":"0","wire":1}\n')
        else:
            how(json.loads(line), number)


main()
