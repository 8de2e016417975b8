// Splits texts into the tokens of a tokenizer.json, equal to those of the library `tokenizers`.
#pragma once

#include <memory>

#include "text/pieces/base.hpp"
#include "text/tokens/file.hpp"

namespace bitmeter {

/// An encoder for a file. With `special`, the names of special tokens in a text are those tokens. Throws PieceUnsupported
/// where the tokens could differ from those of the library.
std::unique_ptr<TextEncoder> make_encoder(const TokenizerFile& file, bool special);

}  // namespace bitmeter
