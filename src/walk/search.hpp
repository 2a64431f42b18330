// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graze/query.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

/// Where contacts go: all into a vector, or each to a function.
struct Sink {
    std::vector<Contact>* all = nullptr;
    ContactSink each = nullptr;
    void* context = nullptr;

    Step report(const Contact& contact) const {
        if (all == nullptr) return each(context, contact);
        all->push_back(contact);
        return Step::Continue;
    }
};

/// A query for contacts.
struct Search {
    const ModelData &a, &b;
    const Affine& a_from_b;
    Sink sink;
    bool first;  ///< the caller stops at the first contact: look where it is likeliest
    double margin;

    Step report(std::uint32_t ia, std::uint32_t ib) const {
        return sink.report({{ia, ib}, {a.geometry.polygon(ia), b.geometry.polygon(ib)}});
    }
};

/// Whether the wide walk takes the two; the pair walk takes all.
bool goes_wide(const Search& search);
/// All contacts to the sink; false when it stopped.
bool run(const Search& search, Scratch::Impl& scratch, QueryStats& stats);

}  // namespace graze::detail
