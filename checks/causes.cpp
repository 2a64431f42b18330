// SPDX-License-Identifier: Apache-2.0
#include "causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "checks/bounds.hpp"

namespace graze::checks {

namespace {

/// The last `count` names of a path.
std::string_view last_names(std::string_view path, std::size_t count) {
    std::size_t at = path.size();
    for (; count > 0 && at != path.npos && at > 0; --count) at = path.rfind('/', at - 1);
    return at == path.npos || at == 0 ? path : path.substr(at + 1);
}

/// The family of a part, alike for equal parts: the type, and the last name with every number replaced.
std::string family_of(const Part& part) {
    std::string family = part.labels.type + "\n";
    for (const char c : last_names(part.path, 1)) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit || family.back() != '#') family += digit ? '#' : c;
    }
    return family;
}

const std::string& storey_of(const Parts& parts, const Clash& clash) {
    const std::string& of_a = parts.parts[clash.a].labels.storey;
    return of_a.empty() ? parts.parts[clash.b].labels.storey : of_a;
}

/// Verbs for clashes of a grade: for one part and another, and for many parts.
struct Verbs {
    const char *one, *many;
};
Verbs verbs_of(const Clash& clash) {
    switch (grade(clash)) {
        case 5:
            return {"is a double of", "are doubles of each other"};
        case 4:
            return {"crosses", "cross"};
        case 3:
            return {"is inside or around", "lie one inside the other"};
        case 2:
            return {"slightly overlaps", "slightly overlap"};
        case 1:
            return {"touches", "touch"};
        default:
            return {"is too close to", "are too close to each other"};
    }
}

class Grouping {
public:
    Grouping(const Parts& parts, Clashes& clashes)
        : parts_(parts), all_(clashes.clashes), names_(short_names(parts)), cause_(all_.size(), none) {
        std::unordered_map<std::string, std::uint32_t> known;
        for (const Part& part : parts.parts)
            families_.push_back(known.emplace(family_of(part), static_cast<std::uint32_t>(known.size())).first->second);
    }

    void find() {
        for (int of = 5; of >= 0; --of) {
            std::vector<std::size_t> left;
            for (std::size_t i = 0; i < all_.size(); ++i)
                if (grade(all_[i]) == of) left.push_back(i);
            group_by_families(left, 3);
            group_by_parts(left);
            group_by_families(left, 2);
            group_by_places(left);
        }
    }

    /// The names of the causes in their order. Numbers the clashes' causes.
    std::vector<std::string> number() {
        std::vector<std::size_t> order(causes_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto key = [&](std::size_t i) {
            const std::vector<std::size_t>& of = causes_[i].clashes;
            const bool fresh = std::ranges::any_of(
                of, [&](std::size_t k) { return all_[k].state == State::New || all_[k].state == State::Worse; });
            double worst = 0;
            for (const std::size_t k : of) worst = std::max(worst, all_[k].severity);
            return std::tuple(!fresh, -grade(all_[of[0]]), -static_cast<std::ptrdiff_t>(of.size()), -worst, of[0]);
        };
        std::ranges::sort(order, {}, key);
        std::vector<std::string> names;
        for (const std::size_t i : order) {
            names.push_back(causes_[i].name);
            for (const std::size_t k : causes_[i].clashes) all_[k].cause = static_cast<std::uint32_t>(names.size());
        }
        return names;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    struct Cause {
        std::string name;
        std::vector<std::size_t> clashes;  ///< ascending
    };

    void add(std::string name, std::vector<std::size_t> of) {
        const std::string& storey = storey_of(parts_, all_[of[0]]);
        const bool same = std::ranges::all_of(of, [&](std::size_t i) { return storey_of(parts_, all_[i]) == storey; });
        if (same && !storey.empty()) name += ", storey " + storey;
        for (const std::size_t i : of) cause_[i] = causes_.size();
        causes_.push_back({std::move(name), std::move(of)});
    }
    void drop_grouped(std::vector<std::size_t>& left) const {
        std::erase_if(left, [&](std::size_t i) { return cause_[i] != none; });
    }

    void group_by_parts(std::vector<std::size_t>& left) {
        std::map<std::uint32_t, std::vector<std::size_t>> of_part;
        for (const std::size_t i : left)
            for (const std::uint32_t part : {all_[i].a, all_[i].b}) of_part[part].push_back(i);
        using Entry = std::tuple<std::size_t, std::uint32_t>;  // clashes, and the part counted from the end
        std::priority_queue<Entry> queue;
        for (const auto& [part, clashes] : of_part) queue.emplace(clashes.size(), ~part);
        while (!queue.empty() && std::get<0>(queue.top()) >= 3) {
            const auto [count, from_end] = queue.top();
            queue.pop();
            std::vector<std::size_t>& clashes = of_part[~from_end];
            drop_grouped(clashes);
            if (clashes.size() == count)
                add(name_of_part(~from_end, clashes), clashes);
            else
                queue.emplace(clashes.size(), from_end);
        }
        drop_grouped(left);
    }

    std::string name_of_part(std::uint32_t part, const std::vector<std::size_t>& of) const {
        const auto other = [&](std::size_t i) { return all_[i].a == part ? all_[i].b : all_[i].a; };
        const std::uint32_t first = other(of[0]);
        const bool alike =
            std::ranges::all_of(of, [&](std::size_t i) { return families_[other(i)] == families_[first]; });
        return fmt::format("{} {} {} parts{}", names_[part], verbs_of(all_[of[0]]).one, of.size(),
                           alike ? " like " + names_[first] : "");
    }

    void group_by_families(std::vector<std::size_t>& left, std::size_t least) {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::vector<std::size_t>> groups;
        for (const std::size_t i : left) {
            const auto [low, high] = std::minmax(families_[all_[i].a], families_[all_[i].b]);
            groups[{low, high, storey_of(parts_, all_[i])}].push_back(i);
        }
        for (auto& [key, of] : groups) {
            if (of.size() < least) continue;
            while (take_dominant(of)) {
            }
            if (of.size() < least) continue;
            const Clash& first = all_[of[0]];
            add(fmt::format("{} pairs like {} and {} {}", of.size(), names_[first.a], names_[first.b],
                            verbs_of(first).many),
                of);
        }
        drop_grouped(left);
    }

    /// Makes a cause of the part that has the most of these clashes, if it has three and a quarter of them. False when
    /// no part has as many.
    bool take_dominant(std::vector<std::size_t>& of) {
        std::map<std::uint32_t, std::vector<std::size_t>> of_part;
        for (const std::size_t i : of)
            for (const std::uint32_t part : {all_[i].a, all_[i].b}) of_part[part].push_back(i);
        const auto most = std::ranges::max_element(of_part, {}, [](const auto& entry) { return entry.second.size(); });
        if (most == of_part.end() || most->second.size() < 3 || 4 * most->second.size() < of.size()) return false;
        add(name_of_part(most->first, most->second), most->second);
        drop_grouped(of);
        return true;
    }

    void group_by_places(const std::vector<std::size_t>& left) {
        std::vector<Bounds> boxes;
        for (const std::size_t i : left) {
            const double by = 0.5 * all_[i].extent;
            Bounds& box = boxes.emplace_back();
            box.add(all_[i].low - Vec3{by, by, by});
            box.add(all_[i].high + Vec3{by, by, by});
        }
        std::vector<std::size_t> root(left.size());
        std::iota(root.begin(), root.end(), 0);
        const auto find = [&](std::size_t i) {
            while (root[i] != i) i = root[i] = root[root[i]];
            return i;
        };
        for (const BoxPair& pair : overlapping_pairs(boxes_of(boxes))) {
            const std::size_t p = find(pair.a), q = find(pair.b);
            root[std::max(p, q)] = std::min(p, q);
        }
        std::map<std::size_t, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < left.size(); ++i) groups[find(i)].push_back(left[i]);
        for (const auto& [first, of] : groups) {
            const Clash& clash = all_[of[0]];
            const std::string &a = names_[clash.a], &b = names_[clash.b];
            if (of.size() == 1 && clash.kind == Kind::Inside) {
                add(fmt::format("{} is inside {}", clash.a_is_inside ? a : b, clash.a_is_inside ? b : a), of);
                continue;
            }
            add(of.size() == 1 ? fmt::format("{} {} {}", a, verbs_of(clash).one, b)
                               : fmt::format("{} pairs near {} and {} {}", of.size(), a, b, verbs_of(clash).many),
                of);
        }
    }

    const Parts& parts_;
    std::vector<Clash>& all_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> families_;  ///< one per part
    std::vector<std::size_t> cause_;       ///< one per clash: an index into `causes_`
    std::vector<Cause> causes_;
};

}  // namespace

std::vector<std::string> short_names(const Parts& parts) {
    std::vector<std::string> names(parts.parts.size());
    std::vector<std::size_t> left(names.size());
    std::iota(left.begin(), left.end(), 0);
    for (std::size_t count = 1; !left.empty(); ++count) {
        std::unordered_map<std::string_view, std::size_t> uses;
        for (const Part& part : parts.parts) ++uses[last_names(part.path, count)];
        std::erase_if(left, [&](std::size_t i) {
            const std::string& path = parts.parts[i].path;
            const std::string_view name = last_names(path, count);
            if (uses[name] > 1 && name.size() < path.size()) return false;
            names[i] = name;
            return true;
        });
    }
    return names;
}

void find_causes(const Parts& parts, Clashes& clashes) {
    Grouping grouping(parts, clashes);
    grouping.find();
    clashes.causes = grouping.number();
}

}  // namespace graze::checks
