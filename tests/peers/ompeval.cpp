// OMPEval's part in benches/evaluators.rs, which starts this program and asks it for one run after another.
//
// Standard input: the numbers of hands and boards (32 bits, little-endian), the cards of all hands (7 bytes each), the
// decks that begin with the boards (52 bytes each), then one character for each run: s(equence), r(andom), a(dded up)
// or b(oard). Standard output: the strength of each hand (16 bits, little-endian), then for each run its
// nanoseconds (64 bits, little-endian). docs/benchmarks.md says how to build it.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "omp/HandEvaluator.h"

static const omp::HandEvaluator evaluator;
static const int FIRST = 3;

static std::vector<uint8_t> hands, decks;
static std::vector<omp::Hand> added;

static omp::Hand add(const uint8_t* cards, int count) {
    omp::Hand hand = omp::Hand::empty();
    for (int i = 0; i < count; i++) hand += omp::Hand(cards[i]);
    return hand;
}

static uint64_t sequence() {
    uint8_t deck[52];
    for (int i = 0; i < 52; i++) deck[i] = i;
    uint64_t sum = 0;
    omp::Hand three = add(deck, FIRST);
    for (int d = FIRST; d < 52; d++) {
        omp::Hand four = three + omp::Hand(deck[d]);
        for (int e = d + 1; e < 52; e++) {
            omp::Hand five = four + omp::Hand(deck[e]);
            for (int f = e + 1; f < 52; f++) {
                omp::Hand six = five + omp::Hand(deck[f]);
                for (int g = f + 1; g < 52; g++) sum += evaluator.evaluate(six + omp::Hand(deck[g]));
            }
        }
    }
    return sum;
}

static uint64_t random_hands() {
    uint64_t sum = 0;
    for (size_t i = 0; i < hands.size(); i += 7) sum += evaluator.evaluate(add(&hands[i], 7));
    return sum;
}

static uint64_t added_up() {
    uint64_t sum = 0;
    for (const omp::Hand& hand : added) sum += evaluator.evaluate(hand);
    return sum;
}

static uint64_t boards() {
    uint64_t sum = 0;
    for (size_t i = 0; i < decks.size(); i += 52) {
        const uint8_t* rest = &decks[i] + 5;
        omp::Hand board = add(&decks[i], 5);
        for (int a = 0; a < 47; a++) {
            omp::Hand six = board + omp::Hand(rest[a]);
            for (int b = 0; b < a; b++) sum += evaluator.evaluate(six + omp::Hand(rest[b]));
        }
    }
    return sum;
}

static bool read(void* to, size_t size) { return std::fread(to, 1, size, stdin) == size; }

static void write(const void* from, size_t size) {
    std::fwrite(from, 1, size, stdout);
    std::fflush(stdout);
}

int main() {
    uint32_t counts[2];
    if (!read(counts, sizeof counts)) return 1;
    hands.resize(7 * size_t(counts[0]));
    decks.resize(52 * size_t(counts[1]));
    if (!read(hands.data(), hands.size()) || !read(decks.data(), decks.size())) return 1;
    std::vector<uint16_t> ranks;
    for (size_t i = 0; i < hands.size(); i += 7) {
        added.push_back(add(&hands[i], 7));
        ranks.push_back(evaluator.evaluate(added.back()));
    }
    write(ranks.data(), 2 * ranks.size());
    static volatile uint64_t kept;
    for (char pattern; read(&pattern, 1);) {
        auto start = std::chrono::steady_clock::now();
        kept = pattern == 's' ? sequence() : pattern == 'r' ? random_hands() : pattern == 'a' ? added_up() : boards();
        std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
        uint64_t nanoseconds = time.count();
        write(&nanoseconds, sizeof nanoseconds);
    }
}
