// A bot for the ACPC dealer protocol: g++ -std=c++17 -O2 bot.cpp -o bot && ./bot HOST PORT
//
// Checks and calls; raises before the flop with a pair. Change `decide`.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

using std::string;
using Words = std::vector<string>;
static Words split(const string& text, char at) {
    Words parts{""};
    for (char letter : text) {
        if (letter == at) parts.emplace_back();
        else parts.back().push_back(letter);
    }
    return parts;
}

// The actions of a street, such as {"c", "r300", "f"}.
static Words actions(const string& street) {
    Words found;
    for (char letter : street) {
        if (letter == 'c' || letter == 'f' || letter == 'r') found.emplace_back();
        found.back().push_back(letter);
    }
    return found;
}

// c checks or calls, f folds, rN raises to N chips in the whole hand.
static string decide(const string& cards, bool preflop, const Words& done) {
    bool raised = false;
    for (const string& action : done) raised |= action[0] == 'r';
    return preflop && !raised && cards[0] == cards[2] ? "r300" : "c";
}

// The reply to a state, or nothing when it is not our turn.
static string reply(const string& line) {
    Words fields = split(line, ':');  // MATCHSTATE, position, hand, betting, cards
    Words betting = split(fields[3], '/'), holes = split(split(fields[4], '/')[0], '|');
    bool over = !holes[0].empty() && !holes[1].empty();
    over |= fields[3].find('f') != string::npos;
    Words done = actions(betting.back());
    // Heads-up the button, position 1, acts first before the flop, the big blind after it.
    size_t first = betting.size() == 1 ? 1 : 0, position = std::stoul(fields[1]);
    if (over || (first + done.size()) % 2 != position) return "";
    return line + ":" + decide(holes[position], betting.size() == 1, done) + "\r\n";
}

int main(int count, char** words) {
    addrinfo want{}, *found = nullptr;
    want.ai_socktype = SOCK_STREAM;
    if (count != 3 || getaddrinfo(words[1], words[2], &want, &found) != 0) {
        std::fprintf(stderr, "usage: bot HOST PORT\n");
        return 2;
    }
    int dealer = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (connect(dealer, found->ai_addr, found->ai_addrlen) != 0) {
        std::perror("connect");
        return 1;
    }
    auto say = [&](const string& text) { return write(dealer, text.data(), text.size()) > 0; };
    say("VERSION:2.0.0\r\n");
    string line;
    for (char letter; read(dealer, &letter, 1) == 1;) {
        if (letter != '\n') {
            if (letter != '\r') line.push_back(letter);
            continue;
        }
        if (line.rfind("MATCHSTATE", 0) == 0)
            if (string text = reply(line); !text.empty() && !say(text)) return 1;
        line.clear();
    }
}
