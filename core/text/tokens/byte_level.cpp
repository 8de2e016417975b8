#include "text/tokens/byte_level.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "util/utf8.hpp"

namespace bitmeter {
namespace {

const std::uint8_t* bytes_of(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

/// The bytes of a token that is written in the alphabet of bytes; other characters are themselves.
std::string token_bytes(const std::string& text, bool& all) {
    std::string result;
    all = true;
    const std::uint8_t *p = bytes_of(text), *const end = p + text.size();
    while (p < end) {
        const int length = utf8::length(p, end);
        const int byte = byte_of_character(utf8::code_point(p, length));
        if (byte >= 0)
            result.push_back(static_cast<char>(byte));
        else
            result.append(reinterpret_cast<const char*>(p), static_cast<std::size_t>(length));
        all = all && byte >= 0;
        p += length;
    }
    return result;
}

}  // namespace

ByteLevelEncoder::ByteLevelEncoder(const TokenizerFile& file, bool special)
    : merges_(file.merges), added_(file.added, special), pattern_(file.pattern), digits_(file.digits),
      ignore_merges_(file.ignore_merges), nfc_(file.nfc), prefix_(file.prefix != PrefixSpace::never), trims_(file.trims) {
    if (file.algorithm != PieceAlgorithm::bpe) throw PieceUnsupported("its model is no BPE");
    if (prefix_ && !added_.empty()) throw PieceUnsupported("its added tokens are followed by a space that is not in the text");
    for (const AddedToken& token : file.added)
        if (file.nfc && token.normalised && !is_settled({bytes_of(token.text), token.text.size()}))
            throw PieceUnsupported("an added token is normalised");
    set_tokens(file);
}

void ByteLevelEncoder::set_tokens(const TokenizerFile& file) {
    std::vector<bool> is_added(file.texts.size());
    for (const AddedToken& token : file.added) is_added[static_cast<std::size_t>(token.id)] = true;
    byte_ids_.fill(-1);
    for (std::size_t i = 0; i < file.texts.size(); ++i) {
        const std::string& text = file.texts[i];
        bool all = false;
        std::string bytes = token_bytes(text, all);
        const auto id = static_cast<std::int32_t>(i);
        // Tokens behind the model's are not looked up by its text.
        const bool of_model = !text.empty() && all && (i < file.model_size || !is_added[i]);
        if (of_model) {
            if (bytes.size() == 1) byte_ids_[static_cast<std::uint8_t>(bytes[0])] = id;
            if (ignore_merges_) whole_.try_emplace(bytes, id);
            // What is merged from bytes would stand for other bytes.
            if (is_added[i] && bytes != text) throw PieceUnsupported("an added token is written in the alphabet of bytes");
        }
        const bool has = !text.empty() && (text != file.unknown_token || file.unknown_token.empty());
        add_token(has, !has ? std::string() : is_added[i] ? text : std::move(bytes));
    }
    for (const std::int32_t id : byte_ids_)
        if (id < 0 || !has_token_[static_cast<std::size_t>(id)]) throw PieceUnsupported("it has not a token for each byte");
}

void ByteLevelEncoder::encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                              PieceRun& run) const {
    if (document.size > std::numeric_limits<std::uint32_t>::max() / 4)
        throw std::length_error("a document has more than a gigabyte");
    const std::size_t first = run.size;
    const std::uint8_t* const end = document.data + document.size;
    Bytes all = document;
    const bool repaired = utf8::count(document.data, end).second != 0;
    if (repaired) {  // bytes that are no characters are replaced, one by one
        session.repair(document);
        all = {session.repaired.data(), session.repaired.size()};
        limit = all.data + all.size;
    }
    if (nfc_ && !is_settled(all)) throw PieceUnsupported("a text is not in normal form C");
    const bool prefixed = prefix_ && all.size && all.data[0] != ' ';
    if (prefixed) {
        session.opening.resize(all.size + 1);
        session.opening[0] = ' ';
        std::copy(all.data, all.data + all.size, session.opening.data() + 1);
        all = {session.opening.data(), session.opening.size()};
        limit = all.data + all.size;
    }
    const std::int64_t base = repaired ? 0 : offset - (prefixed ? 1 : 0);
    text(all, base, limit, session, run);
    if (repaired) {
        run.lossy += document.size;
        std::int64_t least = offset;
        for (std::size_t i = first; i < run.size; ++i) {
            auto at = static_cast<std::size_t>(run.cuts[i]);
            if (trims_) {
                const std::string& token = tokens_[static_cast<std::size_t>(run.ids[i])];
                at += std::min(token.find_first_not_of(' '), token.size());
            }
            at -= prefixed && at ? 1 : 0;
            run.cuts[i] = least = std::max(least, offset + std::int64_t{session.places[at]});
        }
    }
    if (run.size > first) {
        for (std::size_t i = first; i < run.size && run.cuts[i] < offset; ++i) run.cuts[i] = offset;
        run.cuts[first] = offset;
    }
    run.bounds.push_back(static_cast<std::int64_t>(run.size));
}

/// Added tokens, and the words between them.
void ByteLevelEncoder::text(Bytes text, std::int64_t base, const std::uint8_t* limit, PieceSession& session,
                            PieceRun& run) const {
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    while (p < end) {
        const AddedTokens::Match match = added_.empty() ? AddedTokens::Match{end, end, -1} : added_.next(p, end);
        const TextSplitter splitter(match.begin);
        const auto by = [&](auto&& next) {
            if (match.begin > p)
                words({p, static_cast<std::size_t>(match.begin - p)}, base + (p - text.data), limit, next, session, run);
        };
        if (digits_ != DigitSplit::none) {
            const std::uint8_t* stop = nullptr;
            by([&](const std::uint8_t* q) { return splitter.next_digits(q, digits_ == DigitSplit::each, stop); });
        } else {
            switch (pattern_) {
                case SplitPattern::gpt2:
                    by([&](const std::uint8_t* q) { return splitter.next<SplitPattern::gpt2>(q); });
                    break;
                case SplitPattern::cl100k:
                    by([&](const std::uint8_t* q) { return splitter.next<SplitPattern::cl100k>(q); });
                    break;
                case SplitPattern::qwen2:
                    by([&](const std::uint8_t* q) { return splitter.next<SplitPattern::qwen2>(q); });
                    break;
                case SplitPattern::o200k:
                    by([&](const std::uint8_t* q) { return splitter.next<SplitPattern::o200k>(q); });
                    break;
                case SplitPattern::tekken:
                    by([&](const std::uint8_t* q) { return splitter.next<SplitPattern::tekken>(q); });
                    break;
            }
        }
        if (match.id >= 0) {
            if (!has_token_[static_cast<std::size_t>(match.id)]) throw PieceUnsupported("a text has the unknown token");
            run.push(match.id, base + (match.begin - text.data));
        }
        p = match.end;
    }
}

template <class Next>
void ByteLevelEncoder::words(Bytes text, std::int64_t base, const std::uint8_t* limit, Next&& next, PieceSession& session,
                             PieceRun& run) const {
    constexpr std::size_t ahead = 16;
    Bytes words[ahead];
    PieceMemo::Key keys[ahead];
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    while (p < end) {
        std::size_t many = 0;
        for (; many < ahead && p < end; ++many) {
            const std::uint8_t* const stop = next(p);
            words[many] = {p, static_cast<std::size_t>(stop - p)};
            keys[many] = PieceMemo::key(words[many], false, limit);
            session.memo.prefetch(keys[many]);
            p = stop;
        }
        for (std::size_t i = 0; i < many; ++i) {
            const std::int64_t at = base + (words[i].data - text.data);
            const PieceMemo::Slot* const slot =
                words[i].size <= PieceMemo::most_inline ? session.memo.find_short(keys[i]) : nullptr;
            if (!slot) [[unlikely]] {
                take_other(words[i], keys[i], at, session, run);
                continue;
            }
            run.reserve(PieceMemo::most_pieces);
            std::int32_t* const ids = run.ids.data() + run.size;
            std::int64_t* const cuts = run.cuts.data() + run.size;
            for (std::size_t j = 0; j < PieceMemo::most_pieces; ++j) {
                ids[j] = slot->ids[j];
                cuts[j] = at + slot->offsets[j];
            }
            run.size += slot->count;
        }
    }
}

void ByteLevelEncoder::take_other(Bytes word, const PieceMemo::Key& key, std::int64_t at, PieceSession& session,
                                  PieceRun& run) const {
    if (const PieceMemo::Long* const known = session.memo.find_long(key, word)) {
        for (std::size_t i = 0; i < known->count; ++i) run.push(known->ids[i], at + known->offsets[i]);
        return;
    }
    split_word(word, session);
    const PieceEntry& entry = session.entry;
    if (word.size <= PieceMemo::longest) session.memo.keep(key, word, entry);
    for (std::size_t i = 0; i < entry.ids.size(); ++i) run.push(entry.ids[i], at + entry.offsets[i]);
}

void ByteLevelEncoder::split_word(Bytes word, PieceSession& session) const {
    PieceEntry& entry = session.entry;
    entry = {};
    auto& symbols = session.merged;
    symbols.clear();
    if (ignore_merges_) {
        const auto found = whole_.find(std::string(reinterpret_cast<const char*>(word.data), word.size));
        if (found != whole_.end()) symbols.push_back({found->second, static_cast<std::uint32_t>(word.size)});
    }
    if (symbols.empty()) {
        for (std::size_t i = 0; i < word.size; ++i) symbols.push_back({byte_ids_[word.data[i]], 1});
        merges_.merge(symbols, session.room);
    }
    std::uint32_t at = 0;
    for (const MergeTable::Symbol& symbol : symbols) {
        if (!has_token_[static_cast<std::size_t>(symbol.id)]) throw PieceUnsupported("a text has the unknown token");
        entry.ids.push_back(symbol.id);
        entry.offsets.push_back(at);
        at += symbol.size;
    }
}

}  // namespace bitmeter
