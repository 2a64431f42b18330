// SPDX-License-Identifier: Apache-2.0
// Files of a plan: lists of JSON values in CBOR, with a checksum. Strings may hold any bytes, numbers come back bit for
// bit, and equal lists make equal files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "checks/json.hpp"

namespace graze::checks {

/// 32 hexadecimal digits that depend on all bytes. They tell contents apart; they do not withstand an adversary.
std::string digest_of(std::string_view bytes);

/// Puts together the bytes of a file, value by value.
class RecordWriter {
public:
    void add(const Json& value);
    std::string take() &&;  ///< the whole file

private:
    std::string bytes_;
};

/// Calls `take` with each value of a file. A fault names the path: the file is missing, cut off, or damaged. Then
/// `take` was not called, unless a value is not what it expects: it may throw what the standard and the JSON library
/// throw.
Result<void> read_records(const std::string& path, const std::function<void(Json&&)>& take);

}  // namespace graze::checks
