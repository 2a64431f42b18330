// SPDX-License-Identifier: Apache-2.0
#include "baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "checks/baseline_parts.hpp"
#include "checks/bounds.hpp"
#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

using Json = nlohmann::json;

/// Reads a text without keeping anything. It finds where the text stops being JSON, which `Json::parse` does not say
/// without exceptions, and it refuses nesting deeper than any answer has.
class Checker : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return --depth_, true; }
    bool start_array(std::size_t) override { return ++depth_ <= deepest; }
    bool end_array() override { return --depth_, true; }
    bool parse_error(std::size_t byte, const std::string&, const Json::exception&) override {
        error_at = byte;
        return false;
    }

    std::optional<std::size_t> error_at;  ///< byte of the first error, counted from 1

private:
    static constexpr int deepest = 16;  // answers of graze have 4 levels
    int depth_ = 0;
};

Result<Json> parse(std::string_view text, const std::string& name) {
    Checker checker;
    if (!Json::sax_parse(text, &checker)) {
        if (!checker.error_at) return Fault{FaultKind::Damaged, name + ": nested too deeply"};
        const std::string_view before = text.substr(0, *checker.error_at - std::min<std::size_t>(*checker.error_at, 1));
        const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
        return files::located(name, line, {FaultKind::Damaged, "this is not JSON"});
    }
    return Json::parse(text, nullptr, false);
}

/// The text of a field. Nothing when there is no such field or it is not a string.
std::optional<std::string> text_of(const Json& object, const char* key) {
    const auto field = object.find(key);
    if (field == object.end() || !field->is_string()) return {};
    return field->get<std::string>();
}

std::optional<Kind> kind_of(const Json& clash) {
    const std::optional<std::string> word = text_of(clash, "kind");
    for (int i = 0; word && i < kind_count; ++i)
        if (*word == name(static_cast<Kind>(i))) return static_cast<Kind>(i);
    return {};
}

/// A length. Nothing when there is no such field or it is not a number.
std::optional<double> length_of(const Json& object, const char* key) {
    const auto field = object.find(key);
    if (field == object.end() || !field->is_number()) return {};
    return field->get<double>();
}

/// Empty when the review is understood; otherwise what is wrong with it.
std::string take_review(const Json& object, Review& review) {
    review = {text_of(object, "status").value_or(""), text_of(object, "assignee").value_or(""),
              text_of(object, "comment").value_or(""), text_of(object, "priority").value_or(""),
              text_of(object, "due").value_or("")};
    if (review.due.empty() || is_day(review.due)) return {};
    return fmt::format("has a \"due\" that is not a day such as 2026-12-31: {}", files::in_quotes(review.due));
}

/// Adds the entries of a list, one by one. `add` says what is wrong with an entry; an empty text means nothing.
template <class F>
Result<void> add_all(const Json& list, const char* what, const std::string& name, F&& add) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string wrong = list[i].is_object() ? add(list[i]) : "is not an object";
        if (!wrong.empty()) return Fault{FaultKind::Damaged, fmt::format("{}: {} {} {}", name, what, i + 1, wrong)};
    }
    return {};
}

std::string add_clash(const Json& clash, Baseline& baseline) {
    if (text_of(clash, "state") == name(State::Resolved)) return {};
    const std::optional<std::string> a = text_of(clash, "a"), b = text_of(clash, "b");
    const std::optional<Kind> kind = kind_of(clash);
    if (!a) return "has no \"a\"";
    if (!b) return "has no \"b\"";
    if (!kind) return "has no \"kind\" that is known";
    const auto thin = clash.find("thin");
    Gone gone{*a, *b, *kind, thin != clash.end() && thin->is_boolean() && thin->get<bool>()};
    gone.extent = length_of(clash, "extent");
    gone.depth = length_of(clash, clash.contains("depth") ? "depth" : "thickness");  // as earlier versions call it
    gone.distance = length_of(clash, "distance");
    gone.id = text_of(clash, "id").value_or("");
    gone.note = text_of(clash, "note").value_or("");
    for (const auto& [labels, id, key, file] : {std::tuple("labels_a", &gone.id_a, "file_a", &gone.file_a),
                                                std::tuple("labels_b", &gone.id_b, "file_b", &gone.file_b)}) {
        if (const auto at = clash.find(labels); at != clash.end() && at->is_object())
            *id = text_of(*at, "id").value_or("");
        *file = text_of(clash, key).value_or("");
    }
    if (const auto review = clash.find("review"); review != clash.end() && review->is_object())
        if (std::string wrong = take_review(*review, gone.review); !wrong.empty()) return wrong;
    baseline.clashes.push_back(std::move(gone));
    return {};
}

std::string add_review(const Json& entry, Baseline& baseline) {
    const std::optional<std::string> id = text_of(entry, "id"), a = text_of(entry, "a"), b = text_of(entry, "b");
    if (!id && !(a && b)) return "has neither \"id\" nor \"a\" and \"b\"";
    return take_review(entry, baseline.reviews[id ? *id : guid(*a, *b)]);
}

Result<Baseline> parse_json(std::string_view json, const std::string& name) {
    if (json.starts_with("\xef\xbb\xbf")) json.remove_prefix(3);
    const Result<Json> document = parse(json, name);
    if (!document.ok()) return document.fault();
    const auto list = [&](const char* key) -> const Json* {
        const auto at = document->is_object() ? document->find(key) : document->end();
        return at != document->end() && at->is_array() ? &*at : nullptr;
    };
    const Json *clashes = list("clashes"), *reviews = list("reviews"), *not_checked = list("not_checked");
    if (clashes == nullptr && reviews == nullptr)
        return Fault{FaultKind::Damaged,
                     name + ": this is not what graze clash --json writes: it has neither \"clashes\" nor \"reviews\""};
    Baseline out;
    out.has_clashes = clashes != nullptr;
    // Clashes that the earlier run could not check are still to be told of.
    for (const Json* some : {clashes, not_checked})
        if (clashes != nullptr && some != nullptr)
            if (const Result<void> all =
                    add_all(*some, "clash", name, [&](const Json& c) { return add_clash(c, out); });
                !all)
                return all.fault();
    if (reviews != nullptr)
        if (const Result<void> all =
                add_all(*reviews, "review", name, [&](const Json& r) { return add_review(r, out); });
            !all)
            return all.fault();
    return out;
}

double size_of(const Parts& parts, std::uint32_t part) {
    return 2 * length(parts.model_box(parts.parts[part].model).half());
}

/// Says in words what has become worse; empty when nothing has.
std::string worsened(const Parts& parts, const Gone& before, const Clash& now, const CompareSettings& settings) {
    if (now.kind < before.kind) return fmt::format("was {}, is {}", name(before.kind), name(now.kind));
    if (settings.tolerance > 0 && before.thin && now.kind == before.kind && !now.thin)
        return "was thin, is no longer thin";
    const auto changed = [](const char* what, double from, double to) {
        return fmt::format("{} was {:.4g}, is {:.4g}", what, from, to);
    };
    if (now.kind == Kind::Clearance) {
        if (!before.distance || !now.closest) return {};
        const double distance = now.closest->distance;
        const bool closer = *before.distance - distance > settings.worse_by.value_or(0.1 * *before.distance);
        return closer ? changed("distance", *before.distance, distance) : "";
    }
    if (before.extent) {
        const double least = 1e-6 * std::min(size_of(parts, now.a), size_of(parts, now.b));
        if (now.extent - *before.extent > settings.worse_by.value_or(std::max(0.1 * *before.extent, least)))
            return changed("extent", *before.extent, now.extent);
    }
    if (const std::optional<double>& depth = now.measures.depth; before.depth && depth) {
        const double allowed = std::max(*before.depth, 0.01 * before.extent.value_or(now.extent));
        if (*depth - *before.depth > settings.worse_by.value_or(allowed))
            return changed("depth", *before.depth, *depth);
    }
    return {};
}

void add_note(Clash& clash, const std::string& text) { clash.note += (clash.note.empty() ? "" : "; ") + text; }

}  // namespace

void Baseline::add(Baseline other) {
    has_clashes = has_clashes || other.has_clashes;
    std::move(other.clashes.begin(), other.clashes.end(), std::back_inserter(clashes));
    for (auto& [id, review] : other.reviews) reviews[id] = std::move(review);
    std::move(other.notes.begin(), other.notes.end(), std::back_inserter(notes));
}

Result<Baseline> parse_baseline(std::string_view bytes, const std::string& name) {
    return bytes.starts_with("PK") ? parse_bcf(bytes, name) : parse_json(bytes, name);
}

namespace {

/// The baseline's clashes by the pairs of parts that they are between, and what has become of the others.
class Earlier {
public:
    Earlier(const Parts& parts, const Baseline& baseline) : now_(parts, baseline.clashes) {
        for (const Gone& one : baseline.clashes) {
            const EarlierPart a{one.a, one.id_a, one.file_a}, b{one.b, one.id_b, one.file_b};
            const std::optional<std::uint32_t> at_a = now_.find(a), at_b = now_.find(b);
            if (at_a && at_b && at_a != at_b) {
                by_pair_[std::minmax(*at_a, *at_b)] = &one;
                continue;
            }
            by_id_[id_of(one)] = &one;
            Gone& lost = lost_[id_of(one)] = one;
            const PartsNow::Fate fate_a = at_a ? PartsNow::Fate() : now_.fate(a);
            const PartsNow::Fate fate_b = at_b ? PartsNow::Fate() : now_.fate(b);
            // A clash of a part that is gone is gone, whatever has become of the other.
            const bool gone = (!at_a && fate_a.state == State::PartGone) || (!at_b && fate_b.state == State::PartGone);
            lost.state = gone ? State::PartGone : State::NotChecked;
            lost.why = !at_a && fate_a.state == lost.state ? fate_a.why : fate_b.why;
            if (at_a && at_b) lost.why = parts.parts[*at_a].path + " stands for both parts";
        }
    }

    /// The clash of the baseline between the same two parts; null when it has none. `id` is that of the paths.
    const Gone* find(std::uint32_t a, std::uint32_t b, const std::string& id) {
        if (const auto at = by_pair_.find({a, b}); at != by_pair_.end()) return at->second;
        const auto at = by_id_.find(id);
        if (at == by_id_.end()) return nullptr;
        lost_.erase(id);
        by_pair_[{a, b}] = at->second;
        return at->second;
    }

    const std::map<std::pair<std::uint32_t, std::uint32_t>, const Gone*>& by_pair() const { return by_pair_; }
    /// Clashes of parts that are not there, by their ids.
    const std::map<std::string, Gone>& lost() const { return lost_; }

private:
    PartsNow now_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Gone*> by_pair_;
    std::map<std::string, const Gone*> by_id_;
    std::map<std::string, Gone> lost_;
};

/// Why nobody knows whether two parts still clash that are there; empty when they do not.
std::string why_unknown(const Parts& parts, const Clashes& clashes, const Gone& one, std::uint32_t a, std::uint32_t b) {
    if (clashes.unchecked > 0) return "the check was stopped";
    for (const LeftOut& left_out : parts.left_out)
        if (left_out.partly && (left_out.product == parts.parts[a].path || left_out.product == parts.parts[b].path))
            return left_out.product + " was not read whole";
    if (one.kind != Kind::Inside) return "";
    const auto open = [&](std::uint32_t part) { return std::ranges::binary_search(clashes.open, part); };
    const bool a_is_inner = one.note.starts_with(one.a + " is inside"),
               b_is_inner = one.note.starts_with(one.b + " is inside");
    for (const auto& [part, is_inner] : {std::pair(a, a_is_inner), std::pair(b, b_is_inner)})
        if (!is_inner && open(part)) return parts.parts[part].path + " is open now, and nothing is found inside it";
    return "";
}

}  // namespace

void compare(const Parts& parts, const Baseline& baseline, Clashes& clashes, const CompareSettings& settings) {
    Earlier before(parts, baseline);
    const auto id = [&](const auto& pair) { return guid(parts.parts[pair.a].path, parts.parts[pair.b].path); };
    const auto add_review = [&](Review& review, const std::string& of) {
        if (const auto at = baseline.reviews.find(of); at != baseline.reviews.end()) review = at->second;
    };

    std::set<const Gone*> there;
    for (Clash& clash : clashes.clashes) {
        const std::string by_paths = id(clash);
        const Gone* old = before.find(clash.a, clash.b, by_paths);
        if (old != nullptr) {
            clash.review = old->review;
            if (id_of(*old) != by_paths) clash.id = id_of(*old);
            add_review(clash.review, id_of(*old));
        }
        add_review(clash.review, by_paths);
        if (!baseline.has_clashes) continue;
        if (old == nullptr) {
            clash.state = State::New;
            continue;
        }
        there.insert(old);
        const std::string worse = worsened(parts, *old, clash, settings);
        clash.state = worse.empty() ? State::Persistent : State::Worse;
        if (!worse.empty())
            add_note(clash, worse);
        else if (old->kind != clash.kind)
            add_note(clash, fmt::format("before: {}", name(old->kind)));
    }
    for (const Ignored& pair : clashes.ignored) there.insert(before.find(pair.a, pair.b, id(pair)));
    // A fit that an earlier run took for a clash has not changed.
    for (const Clash& fit : clashes.fits)
        if (const Gone* old = before.find(fit.a, fit.b, id(fit)); old != nullptr && old->kind == Kind::Fit)
            there.insert(old);

    clashes.resolved.clear();
    clashes.gone.clear();
    const WantedPairs wanted(parts, settings.rules);
    const Clearances clearances(parts, settings.rules, settings.clearance);
    const auto was_asked = [&](const Gone& gone, std::uint32_t a, std::uint32_t b) {
        if (!wanted(a, b)) return false;
        if (gone.kind != Kind::Clearance) return true;
        const double limit = clearances(a, b);
        return limit > 0 && gone.distance.value_or(0) <= limit;
    };
    for (const auto& [pair, one] : before.by_pair()) {
        if (there.contains(one) || !was_asked(*one, pair.first, pair.second)) continue;
        const std::string unknown = why_unknown(parts, clashes, *one, pair.first, pair.second);
        Gone& gone = (unknown.empty() ? clashes.resolved : clashes.gone).emplace_back(*one);
        gone.state = unknown.empty() ? State::Resolved : State::NotChecked;
        gone.why = unknown;
    }
    for (const auto& [key, lost] : before.lost()) clashes.gone.push_back(lost);
    for (std::vector<Gone>* list : {&clashes.resolved, &clashes.gone})
        for (Gone& one : *list) add_review(one.review, id_of(one));
    std::ranges::sort(clashes.gone, {}, [](const Gone& one) {
        return std::tuple(one.state != State::NotChecked, one.kind, one.a, one.b);
    });
}

}  // namespace graze::checks
