#!/usr/bin/env python3
"""A player that asks a language model, over any endpoint that speaks OpenAI's chat completions:

LLM_URL=https://HOST/v1 LLM_MODEL=NAME LLM_KEY=… python3 llm.py HOST PORT

For heads-up no-limit hold'em with blinds 50 and 100 and 20,000 chips each hand. The model is told
the facts and the legal actions; its answer is taken only if its last line is one of them. An answer
that is not, or none, is asked for once more; then it checks, or folds, and says so.
"""
import json
import os
import re
import socket
import sys
import time
import urllib.error
import urllib.request

STACK, BIG_BLIND = 20000, 100
STREETS = ["Before the flop", "Flop", "Turn", "River"]
RULES = """You play heads-up no-limit Texas hold'em, blinds 50 and 100, 20,000 chips each at the start of
every hand, to win as many chips as you can. All amounts are totals that a player has put in over the whole
hand. Answer with a last line that is exactly one of the legal actions and nothing else."""
count = {"decisions": 0, "calls": 0, "replaced": 0, "prompt_tokens": 0, "completion_tokens": 0}


def replay(betting, me):
    """The chips that both have put in, the smallest total to raise to, and the betting in words."""
    spent, step, lines = [100, 50], BIG_BLIND, []
    for number, street in enumerate(betting.split("/")):
        seat, step, said = number == 0, max(BIG_BLIND, step) if number == 0 else BIG_BLIND, []
        for action in re.findall(r"[fc]|r\d+", street):
            owed, who = max(spent) - spent[seat], "you" if seat == me else "the opponent"
            if action == "c":
                said.append(f"{who}: call {owed}" if owed else f"{who}: check")
                spent[seat] = max(spent)
            elif action != "f":
                total = int(action[1:])
                said.append(f"{who}: {'raise' if owed or number == 0 else 'bet'} to {total}")
                step, spent[seat] = max(step, total - max(spent)), total
            seat = not seat
        lines.append(f"{STREETS[number]}: {', '.join(said) or 'no action yet'}")
    return spent, min(STACK, max(spent) + step), lines


def situation(position, betting, cards):
    """What the model is told, and whether an answer is one of the legal actions."""
    spent, least, lines = replay(betting, position)
    owed, (holes, *board) = max(spent) - spent[position], cards.split("/")
    legal = ["fold", f"call (adds {owed} chips)"] if owed else ["check"]
    raises = max(spent) < STACK
    if raises:
        legal.append(f"raise N, with N from {least} to {STACK}, your total over the hand")
    facts = [
        f"Your cards: {holes.split('|')[position]}. Board: {' '.join(board) or 'none yet'}.",
        f"You are {'the button' if position else 'the big blind'}. Pot: {sum(spent)}. You have put in "
        f"{spent[position]}, the opponent {spent[1 - position]}; you have {STACK - spent[position]} left.",
        *lines, "Legal actions: " + "; ".join(legal) + ".",
    ]

    def read(answer):
        lines = answer.strip().splitlines() or [""]
        found = re.fullmatch(r"(fold|check|call)|raise (\d{1,5})", lines[-1].strip().lower())
        if not found or found[1] in (["check"] if owed else ["fold", "call"]):
            return None
        if found[1]:
            return "f" if found[1] == "fold" else "c"
        return f"r{int(found[2])}" if raises and least <= int(found[2]) <= STACK else None

    return "\n".join(facts), read, "f" if owed else "c"


def ask(messages):
    """The model's answer; raises OSError or ValueError where there is none."""
    body = json.dumps({"model": os.environ["LLM_MODEL"], "messages": messages}).encode()
    headers = {"Content-Type": "application/json"}
    if os.environ.get("LLM_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["LLM_KEY"]
    url = os.environ["LLM_URL"].rstrip("/") + "/chat/completions"
    count["calls"] += 1
    timeout = float(os.environ.get("LLM_TIMEOUT", "60"))
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=timeout) as reply:
        said = json.loads(reply.read(1 << 20))
    for key in ("prompt_tokens", "completion_tokens"):
        count[key] += int((said.get("usage") or {}).get(key) or 0)
    return str(said["choices"][0]["message"]["content"])


def decide(position, betting, cards):
    """The model's action; after two tries a check or a fold."""
    facts, read, instead = situation(position, betting, cards)
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": facts}]
    count["decisions"] += 1
    for attempt in range(2):
        try:
            answer = ask(messages)
            why = "the last line of the answer is not one of the legal actions"
            if read(answer):
                return read(answer)
            messages += [{"role": "assistant", "content": answer[:4000]},
                         {"role": "user", "content": f"No: {why}. Answer with one of them."}]
        except urllib.error.HTTPError as error:
            # Not the body: some servers repeat the key in it.
            why = f"the endpoint answered {error.code}"
            if error.code not in (408, 409, 429) and error.code < 500:
                sys.exit(f"llm.py: {why}: check LLM_URL, LLM_MODEL and LLM_KEY")
            if not attempt:
                wait = error.headers.get("Retry-After") or ""
                time.sleep(min(30, int(wait) if wait.isdigit() else 1))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            why = f"no answer: {type(error).__name__}"
    count["replaced"] += 1
    print(f"llm.py: {'folded' if instead == 'f' else 'checked'}: {why}", file=sys.stderr)
    return instead


def main():
    missing = [name for name in ("LLM_URL", "LLM_MODEL") if not os.environ.get(name)]
    if missing or len(sys.argv) != 3:
        sys.exit(f"llm.py: set {' and '.join(missing)}" if missing else __doc__)
    dealer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    dealer.sendall(b"VERSION:2.0.0\r\n")
    for line in map(str.strip, dealer.makefile("r")):
        if not line.startswith("MATCHSTATE"):
            continue
        _, position, _, betting, cards = line.split(":")
        streets, holes = betting.split("/"), cards.split("/")[0].split("|")
        done = len(re.findall(r"[fc]|r\d+", streets[-1]))
        over = "f" in betting or all(holes)
        if not over and (done + (len(streets) == 1)) % 2 == int(position):
            action = decide(int(position), betting, cards)
            dealer.sendall(f"{line}:{action}\r\n".encode())
    print("llm.py: " + ", ".join(f"{n} {key}" for key, n in count.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
