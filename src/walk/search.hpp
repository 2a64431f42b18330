// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graze/query.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

/// Where contacts go: all to a vector, or each to a function.
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

/// Ends a search after a number of contacts.
struct CountingSink {
    Sink inner;
    std::size_t left;

    static Step report(void* context, const Contact& contact) {
        CountingSink& self = *static_cast<CountingSink*>(context);
        return self.inner.report(contact) == Step::Stop || --self.left == 0 ? Step::Stop : Step::Continue;
    }
};

/// A query for contacts.
struct Search {
    const ModelData &a, &b;
    const Affine& a_from_b;
    Sink sink;
    bool first;  ///< the caller stops at the first contact, so the likeliest places come first
    double margin;

    Step report(std::uint32_t ia, std::uint32_t ib) const {
        return sink.report({{ia, ib}, {a.geometry.polygon(ia), b.geometry.polygon(ib)}});
    }
};

}  // namespace graze::detail
