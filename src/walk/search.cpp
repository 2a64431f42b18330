// SPDX-License-Identifier: Apache-2.0
#include "walk/search.hpp"

#include "walk/float_range.hpp"
#include "walk/pair_search.hpp"
#include "walk/scratch.hpp"

namespace graze {

Scratch::Scratch() : impl_(std::make_unique<Impl>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

bool detail::goes_wide(const Search& s) {
    return s.a.is_wide() && s.b.is_wide() && fits_float(s.a.wide, s.b.wide, s.a_from_b, s.margin);
}

bool detail::run(const Search& search, Scratch::Impl& scratch, QueryStats& stats) {
    return goes_wide(search) ? wide_search(search, scratch.wide, stats) : pair_search(search, scratch.pairs, stats);
}

}  // namespace graze
