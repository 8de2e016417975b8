#include "text/tokens/file.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "text/tokens/json.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

using Kind = JsonValue::Kind;
constexpr std::string_view meta = "\xE2\x96\x81";
/// More than any tokenizer has.
constexpr std::uint64_t most_ids = std::uint64_t{1} << 24;
constexpr std::size_t longest_token = std::size_t{1} << 16;

[[noreturn]] void unsupported(const std::string& what) { throw PieceUnsupported("its " + what + " is not one that is read here"); }

/// The value of a key of an object, if it is there and not null.
std::optional<JsonValue> get(const JsonValue& object, std::string_view key) {
    if (!object.is(Kind::object)) unsupported("structure");
    std::optional<JsonValue> found;
    bool twice = false, null = false;
    object.pairs([&](std::string_view name, JsonValue value) {
        if (name != key) return;
        twice = twice || found || null;
        if (value.is_null())
            null = true;
        else
            found = value;
    });
    if (twice) unsupported("structure");
    return found;
}

std::string_view text_of(const std::optional<JsonValue>& value, const char* what) {
    if (!value || !value->is(Kind::string)) unsupported(what);
    return value->text();
}

std::string_view type_of(const JsonValue& object) { return text_of(get(object, "type"), "structure"); }

bool flag(const JsonValue& object, std::string_view key, std::optional<bool> otherwise = std::nullopt) {
    const auto value = get(object, key);
    if (!value && otherwise) return *otherwise;
    if (!value || !value->is(Kind::boolean)) unsupported("structure");
    return value->text() == "true";
}

std::int32_t id_of(const JsonValue& value) {
    if (!value.is(Kind::number)) unsupported("vocabulary");
    std::uint64_t number = 0;
    if (value.text().size() > 10) unsupported("vocabulary");
    for (char c : value.text()) {
        if (c < '0' || c > '9') unsupported("vocabulary");
        number = 10 * number + static_cast<std::uint64_t>(c - '0');
    }
    if (number >= most_ids) unsupported("vocabulary");
    return static_cast<std::int32_t>(number);
}

/// The members of a Sequence, or the one thing itself.
std::vector<JsonValue> sequence(const std::optional<JsonValue>& value, std::string_view key) {
    std::vector<JsonValue> result;
    if (!value) return result;
    if (type_of(*value) != "Sequence") {
        result.push_back(*value);
        return result;
    }
    const auto members = get(*value, key);
    if (!members || !members->is(Kind::array)) unsupported("structure");
    members->values([&](JsonValue one) { result.push_back(one); });
    return result;
}

/// Whether a string is somewhere in a value: as a whole, or as a part.
bool holds(const JsonValue& value, std::string_view text, bool whole) {
    bool found = false;
    const auto in = [&](std::string_view s) { return whole ? s == text : s.find(text) != std::string_view::npos; };
    if (value.is(Kind::string)) return in(value.text());
    if (value.is(Kind::array)) value.values([&](JsonValue one) { found = found || holds(one, text, whole); });
    if (value.is(Kind::object))
        value.pairs([&](std::string_view key, JsonValue one) { found = found || in(key) || holds(one, text, whole); });
    return found;
}

class Reader {
public:
    explicit Reader(const JsonValue& root) : root_(root) {}

    TokenizerFile read() {
        if (const auto version = get(root_, "version"); version && text_of(version, "version") != "1.0")
            unsupported("version");
        const auto model = get(root_, "model");
        if (!model) unsupported("model");
        read_pretokenizer();
        const std::string_view type = type_of(*model);
        if (type == "BPE")
            read_bpe(*model);
        else if (type == "Unigram")
            read_unigram(*model);
        else
            unsupported("model");
        read_added();
        read_normaliser();
        read_processor();
        read_decoder();
        return std::move(file_);
    }

private:
    void set(std::int32_t id, std::string_view text) {
        if (text.size() > longest_token) unsupported("vocabulary");
        const auto at = static_cast<std::size_t>(id);
        if (at >= file_.texts.size()) file_.texts.resize(at + 1);
        if (text.empty() || !file_.texts[at].empty() || !ids_.try_emplace(text, id).second) unsupported("vocabulary");
        file_.texts[at] = text;
    }

    std::int32_t find(std::string_view text) const {
        const auto found = ids_.find(text);
        if (found == ids_.end()) unsupported("list of merges");
        return found->second;
    }

    void read_bpe(const JsonValue& model) {
        file_.algorithm = PieceAlgorithm::bpe;
        for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (const auto text = get(model, key); text && !text_of(text, "model").empty()) unsupported("model");
        if (const auto dropout = get(model, "dropout")) {
            if (!dropout->is(Kind::number)) unsupported("model");
            const double value = json_number(dropout->text());
            if (!(value >= 0.0 && value <= 1.0)) unsupported("model");
        }
        if (const auto unknown = get(model, "unk_token")) file_.unknown_token = text_of(unknown, "model");
        file_.ignore_merges = flag(model, "ignore_merges", false);
        file_.byte_fallback = flag(model, "byte_fallback", false);
        file_.fuse_unknown = flag(model, "fuse_unk", false);
        const auto vocabulary = get(model, "vocab"), merges = get(model, "merges");
        if (!vocabulary || !vocabulary->is(Kind::object) || !merges || !merges->is(Kind::array)) unsupported("model");
        ids_.reserve(2 * vocabulary->size());
        // Sound vocabularies leave few gaps; memory is needed for each.
        const auto most = static_cast<std::int64_t>(4 * vocabulary->size() + 1024);
        vocabulary->pairs([&](std::string_view text, JsonValue number) {
            const std::int32_t id = id_of(number);
            if (id >= most) unsupported("vocabulary");
            set(id, text);
        });
        file_.model_size = vocabulary->size();
        file_.merges.reserve(merges->size());
        std::string made;
        std::optional<Kind> kind;
        merges->values([&](JsonValue merge) {
            std::string_view left, right;
            if (kind.value_or(merge.kind()) != merge.kind()) unsupported("list of merges");
            kind = merge.kind();
            if (merge.is(Kind::string)) {
                if (merge.text().substr(0, 8) == "#version") return;
                const std::size_t space = merge.text().find(' ');
                if (space == std::string_view::npos) unsupported("list of merges");
                left = merge.text().substr(0, space);
                right = merge.text().substr(space + 1);
                if (right.find(' ') != std::string_view::npos) unsupported("list of merges");
            } else {
                if (!merge.is(Kind::array) || merge.size() != 2) unsupported("list of merges");
                merge.values([&](JsonValue one) {
                    if (!one.is(Kind::string)) unsupported("list of merges");
                    (left.data() ? right : left) = one.text();
                });
            }
            made.assign(left);
            made += right;
            file_.merges.push_back({find(left), find(right), find(made)});
        });
    }

    void read_unigram(const JsonValue& model) {
        file_.algorithm = PieceAlgorithm::unigram;
        file_.byte_fallback = flag(model, "byte_fallback", false);
        const auto vocabulary = get(model, "vocab");
        if (!vocabulary || !vocabulary->is(Kind::array) || vocabulary->size() >= most_ids) unsupported("model");
        vocabulary->values([&](JsonValue pair) {
            if (!pair.is(Kind::array) || pair.size() != 2) unsupported("vocabulary");
            std::optional<JsonValue> text, score;
            pair.values([&](JsonValue one) { (text ? score : text) = one; });
            if (!text->is(Kind::string) || !score->is(Kind::number)) unsupported("vocabulary");
            set(static_cast<std::int32_t>(file_.scores.size()), text->text());
            file_.scores.push_back(json_number(score->text()));
        });
        file_.model_size = file_.scores.size();
        const auto unknown = get(model, "unk_id");
        if (!unknown) unsupported("model");
        file_.unknown = id_of(*unknown);
        if (static_cast<std::size_t>(file_.unknown) >= file_.model_size) unsupported("model");
    }

    /// Tokens that the model does not have are numbered behind it, as the library does it whatever the file says.
    void read_added() {
        const auto added = get(root_, "added_tokens");
        if (!added) return;
        if (!added->is(Kind::array)) unsupported("structure");
        auto next = static_cast<std::int32_t>(file_.model_size);
        std::unordered_set<std::int32_t> seen;
        added->values([&](JsonValue one) {
            AddedToken token;
            const std::string_view text = text_of(get(one, "content"), "list of added tokens");
            token.text = text;
            const auto id = get(one, "id");
            if (!id) unsupported("list of added tokens");
            token.id = id_of(*id);
            token.special = flag(one, "special");
            token.normalised = flag(one, "normalized");
            token.plain = !flag(one, "single_word") && !flag(one, "lstrip") && !flag(one, "rstrip");
            const auto known = ids_.find(token.text);
            if (!seen.insert(token.id).second) unsupported("list of added tokens");
            if (known == ids_.end()) {
                if (token.id != next++ || token.text.empty()) unsupported("list of added tokens");
                const auto at = static_cast<std::size_t>(token.id);
                if (at >= file_.texts.size()) file_.texts.resize(at + 1);
                if (!file_.texts[at].empty() || token.text.size() > longest_token) unsupported("vocabulary");
                file_.texts[at] = token.text;
                ids_.try_emplace(text, token.id);
            } else if (known->second != token.id) {
                unsupported("list of added tokens");
            }
            file_.added.push_back(std::move(token));
        });
    }

    void read_pretokenizer() {
        const auto members = sequence(get(root_, "pre_tokenizer"), "pretokenizers");
        if (members.empty()) {
            file_.replaces = true;
            file_.splits = false;
            return;
        }
        const JsonValue& last = members.back();
        if (type_of(last) == "ByteLevel") {
            file_.byte_level = true;
            if (flag(last, "add_prefix_space")) file_.prefix = PrefixSpace::always;
            flag(last, "trim_offsets");
            const bool own = flag(last, "use_regex", true);
            if (members.size() > 2 || own != (members.size() == 1 || type_of(members[0]) == "Digits")) unsupported("pre-tokenizer");
            if (members.size() == 1) return;
            if (file_.prefix != PrefixSpace::never) unsupported("pre-tokenizer");
            if (own)
                file_.digits = flag(members[0], "individual_digits") ? DigitSplit::each : DigitSplit::runs;
            else
                read_split(members[0]);
            return;
        }
        if (type_of(last) == "Metaspace" && members.size() <= 2) {
            file_.white_split = members.size() == 2;
            if (file_.white_split && type_of(members[0]) != "WhitespaceSplit") unsupported("pre-tokenizer");
            return read_metaspace(last);
        }
        if (type_of(last) == "Split" && members.size() == 1) {  // at spaces, of which the normaliser leaves none
            const auto pattern = get(last, "pattern");
            if (!pattern || !pattern->is(Kind::object) || pattern->size() != 1) unsupported("pre-tokenizer");
            if (text_of(get(*pattern, "String"), "pre-tokenizer") != " ") unsupported("pre-tokenizer");
            if (text_of(get(last, "behavior"), "pre-tokenizer") != "MergedWithPrevious" || flag(last, "invert"))
                unsupported("pre-tokenizer");
            file_.replaces = true;
            file_.splits = false;
            return;
        }
        unsupported("pre-tokenizer");
    }

    void read_metaspace(const JsonValue& one) {
        if (text_of(get(one, "replacement"), "pre-tokenizer") != meta) unsupported("pre-tokenizer");
        std::string_view scheme = "always";
        if (const auto given = get(one, "prepend_scheme")) scheme = text_of(given, "pre-tokenizer");
        if (scheme != "never" && !flag(one, "add_prefix_space", true)) unsupported("pre-tokenizer");
        if (scheme == "always")
            file_.prefix = PrefixSpace::always;
        else if (scheme == "first")
            file_.prefix = PrefixSpace::first;
        else if (scheme != "never")
            unsupported("pre-tokenizer");
        if (file_.white_split && file_.prefix != PrefixSpace::always) unsupported("pre-tokenizer");
        file_.splits = flag(one, "split", true);
        file_.meta = true;
    }

    void read_split(const JsonValue& split) {
        if (type_of(split) != "Split") unsupported("pre-tokenizer");
        const auto pattern = get(split, "pattern");
        if (!pattern || !pattern->is(Kind::object) || pattern->size() != 1) unsupported("pre-tokenizer");
        if (!find_pattern(text_of(get(*pattern, "Regex"), "pre-tokenizer"), file_.pattern)) unsupported("pre-tokenizer");
        // The patterns leave nothing between two matches.
        const std::string_view behaviour = text_of(get(split, "behavior"), "pre-tokenizer");
        const bool invert = flag(split, "invert");
        if (!(behaviour == "Isolated" || (behaviour == "Removed" && invert))) unsupported("pre-tokenizer");
    }

    void read_normaliser() {
        const auto members = sequence(get(root_, "normalizer"), "normalizers");
        if (file_.byte_level) {
            if (members.empty()) return;
            if (members.size() != 1 || type_of(members[0]) != "NFC") unsupported("normaliser");
            file_.nfc = true;
            return;
        }
        std::size_t at = 0;
        const auto is = [&](std::string_view type) { return at < members.size() && type_of(members[at]) == type; };
        if (file_.replaces) {
            if (is("Prepend")) {
                if (text_of(get(members[at++], "prepend"), "normaliser") != meta) unsupported("normaliser");
                file_.prefix = PrefixSpace::always;
            }
            if (!is("Replace") || !replaces(members[at++], "String", " ", meta)) unsupported("normaliser");
        } else if (is("Precompiled")) {
            file_.rules = decoded(text_of(get(members[at++], "precompiled_charsmap"), "normaliser"));
            if (is("Strip")) {
                if (flag(members[at], "strip_left") || !flag(members[at], "strip_right")) unsupported("normaliser");
                file_.strips_right = true;
                ++at;
            }
            if (is("Replace")) {
                if (!replaces(members[at], "Regex", " {2,}", " ") &&
                    (file_.white_split || !replaces(members[at], "Regex", " {2,}", meta)))
                    unsupported("normaliser");
                file_.single_spaces = true;
                ++at;
            }
        }
        if (at != members.size()) unsupported("normaliser");
    }

    static bool replaces(const JsonValue& one, std::string_view kind, std::string_view from, std::string_view to) {
        const auto pattern = get(one, "pattern");
        if (!pattern || !pattern->is(Kind::object) || pattern->size() != 1) return false;
        const auto text = get(*pattern, kind);
        return text && text->is(Kind::string) && text->text() == from && text_of(get(one, "content"), "normaliser") == to;
    }

    /// Base64.
    static std::string decoded(std::string_view text) {
        std::string result;
        std::uint32_t bits = 0;
        const std::size_t size = text.size();
        if (size == 0 || size % 4) unsupported("normaliser");
        const std::size_t padding = text[size - 1] != '=' ? 0 : text[size - 2] != '=' ? 1 : 2;
        for (std::size_t i = 0; i < size; ++i) {
            const char c = text[i];
            std::uint32_t value = 0;
            if (c >= 'A' && c <= 'Z')
                value = static_cast<std::uint32_t>(c - 'A');
            else if (c >= 'a' && c <= 'z')
                value = static_cast<std::uint32_t>(c - 'a' + 26);
            else if (c >= '0' && c <= '9')
                value = static_cast<std::uint32_t>(c - '0' + 52);
            else if (c == '+' || c == '/')
                value = c == '+' ? 62 : 63;
            else if (c != '=' || i < size - padding)
                unsupported("normaliser");
            bits = bits << 6 | value;
            if (i % 4 == 3)
                for (int shift : {16, 8, 0}) result.push_back(static_cast<char>(bits >> shift & 255));
        }
        result.resize(result.size() - padding);
        return result;
    }

    /// Without special tokens a processor changes offsets alone.
    void read_processor() {
        for (const JsonValue& one : sequence(get(root_, "post_processor"), "processors")) {
            const std::string_view type = type_of(one);
            if (type == "ByteLevel" || type == "RobertaProcessing")
                file_.trims = file_.trims || flag(one, "trim_offsets", true);
            else if (type != "TemplateProcessing" && type != "BertProcessing")
                unsupported("post-processor");
        }
        if (file_.trims && !file_.byte_level) unsupported("post-processor");
    }

    void read_decoder() {
        const auto decoder = get(root_, "decoder");
        if (!decoder) return;
        if (holds(*decoder, "ByteLevel", true) && !file_.byte_level) unsupported("decoder");
        file_.meta = file_.meta || holds(*decoder, meta, false) || holds(*decoder, "Metaspace", true);
    }

    JsonValue root_;
    TokenizerFile file_;
    std::unordered_map<std::string_view, std::int32_t> ids_;
};

}  // namespace

int byte_of_character(std::int32_t c) {
    if ((c >= 0x21 && c <= 0x7E) || (c >= 0xA1 && c <= 0xAC) || (c >= 0xAE && c <= 0xFF)) return c;
    static const std::array<std::uint8_t, 68> unseen = [] {
        std::array<std::uint8_t, 68> made{};
        std::size_t size = 0;
        for (int byte = 0; byte < 256; ++byte)
            if (byte <= 0x20 || (byte >= 0x7F && byte <= 0xA0) || byte == 0xAD) made[size++] = static_cast<std::uint8_t>(byte);
        return made;
    }();
    return c >= 0x100 && c < 0x144 ? unseen[static_cast<std::size_t>(c - 0x100)] : -1;
}

TokenizerFile read_tokenizer(Bytes data) {
    const Json json(data);
    return Reader(json.root()).read();
}

}  // namespace bitmeter
