// A text as word numbers, for estimation: words in the order of their first coming, each sentence closed by word_end.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "id_list.hpp"
#include "ngram_model.hpp"
#include "split.hpp"

namespace bitmeter {

/// A word of the text that the model keeps for itself.
struct ReservedWord : std::runtime_error {
    ReservedWord(std::string found, std::uint64_t where)
        : std::runtime_error("reserved word"), word(std::move(found)), sentence(where) {}
    std::string word;
    std::uint64_t sentence;  // counted from one
};

class NgramText {
public:
    /// With `unk_word`, `<unk>` in the text is a word like any other; else it is reserved, as `<s>` and `</s>` are.
    NgramText(std::string_view separators, bool unk_word);
    /// Takes the next bytes. Documents end at `ends`, ascending within the block; each is a sentence. Throws
    /// ReservedWord. Numbers do not depend on the threads.
    void feed(Bytes block, Ends ends, unsigned threads = 1);
    /// Closes a sentence that has begun.
    void finish();

    /// Beyond so many bytes the numbers go to a temporary file.
    void limit(std::uint64_t bytes, PageStore* store) { ids_.limit(bytes, store); }
    const IdList& ids() const { return ids_; }
    const WordTable& table() const { return table_; }
    std::uint64_t sentences() const { return sentences_; }
    std::uint64_t words() const { return ids_.size() - sentences_; }

private:
    void add(Bytes word);
    void stretch(Bytes text, bool closed);
    void close();
    void feed_in_order(Bytes block, Ends ends);
    void feed_parts(Bytes text, Ends ends, std::int64_t offset, unsigned threads);

    Separators separators_;
    WordTable table_;
    IdList ids_;
    std::vector<std::int64_t> edges_;
    std::vector<std::uint8_t> begun_;  // a word that the border of a block cut
    std::uint64_t sentences_ = 0;
    bool open_ = false;
};

}  // namespace bitmeter
