// SPDX-License-Identifier: Apache-2.0
// Real motions from ../shared/models: triangles and placements by UNC, and motion-planning problems with meshes in
// COLLADA. Reads what those files hold, not the formats at large.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/motions.hpp"

namespace graze::test {

/// Tests run in the root of the checkout.
inline const std::string shared_models = "../shared/models/";

namespace reading {

inline std::optional<std::string> whole_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return {};
    return std::string(std::istreambuf_iterator<char>(in), {});
}

template <class T>
std::vector<T> numbers(std::string_view text) {
    std::istringstream in{std::string(text)};
    return {std::istream_iterator<T>(in), std::istream_iterator<T>()};
}

/// One element of an XML file.
struct Element {
    std::string_view name, attributes, text;  ///< `text`: up to the first child
    std::vector<Element> children;

    std::string_view attribute(std::string_view key) const {
        const std::size_t at = attributes.find(" " + std::string(key) + "=\"");
        if (at == attributes.npos) return {};
        const std::size_t from = at + key.size() + 3;
        return attributes.substr(from, attributes.find('"', from) - from);
    }
    /// The first below, at any depth, for which `f` holds.
    template <class F>
    const Element* find(const F& f) const {
        if (f(*this)) return this;
        for (const Element& c : children)
            if (const Element* e = c.find(f)) return e;
        return nullptr;
    }
    const Element* by_name(std::string_view wanted) const {
        return find([&](const Element& e) { return e.name == wanted; });
    }
};

/// The children of an element, from behind its tag up to and with its end tag.
inline void parse(std::string_view& rest, Element& parent) {
    for (bool first = true;; first = false) {
        const std::size_t open = rest.find('<');
        if (open == rest.npos) return;
        if (first) parent.text = rest.substr(0, open);
        const std::size_t close = rest.find('>', open);
        if (close == rest.npos) return;
        std::string_view tag = rest.substr(open + 1, close - open - 1);
        rest.remove_prefix(close + 1);
        if (tag.starts_with('/')) return;
        if (tag.starts_with('?') || tag.starts_with('!')) continue;
        const bool whole = tag.ends_with('/');
        if (whole) tag.remove_suffix(1);
        const std::size_t end = std::min(tag.find_first_of(" \t\r\n"), tag.size());
        Element child{tag.substr(0, end), tag.substr(end), {}, {}};
        if (!whole) parse(rest, child);
        parent.children.push_back(std::move(child));
    }
}

/// A COLLADA scene. The planner's centre of a robot is the mean of the vertices that its triangles and lines name.
class Collada {
public:
    explicit Collada(std::string_view text) {
        parse(text, root_);
        number(root_);
        if (const Element* scene = root_.by_name("visual_scene")) visit(*scene, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
    }

    scenes::Soup soup;
    Vec3 centre() const { return sum_ * (1 / static_cast<double>(std::max<std::size_t>(count_, 1))); }

private:
    using Rows = std::array<double, 12>;

    void number(const Element& e) {
        ids_.emplace(e.attribute("id"), &e);
        for (const Element& c : e.children) number(c);
    }
    /// The element that a reference names; null when it does not exist.
    const Element* at(std::string_view url) const {
        const auto found = ids_.find(url.substr(url.starts_with('#')));
        return found == ids_.end() ? nullptr : found->second;
    }

    void visit(const Element& node, Rows m) {
        for (const Element& e : node.children) {
            if (e.name == "matrix") {
                const std::vector<double> n = numbers<double>(e.text);
                const Rows old = m;
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 4; ++j) {
                        m[4 * i + j] = j == 3 ? old[4 * i + 3] : 0;
                        for (std::size_t k = 0; k < 3; ++k) m[4 * i + j] += old[4 * i + k] * n.at(4 * k + j);
                    }
            } else if (e.name == "node") {
                visit(e, m);
            } else if (const Element* of = e.name.starts_with("instance_") ? at(e.attribute("url")) : nullptr) {
                if (of->name == "node") visit(*of, m);
                if (of->name == "geometry") add(*of, m);
            }
        }
    }

    void add(const Element& geometry, const Rows& m) {
        const Element* mesh = geometry.by_name("mesh");
        if (mesh == nullptr) return;
        for (const Element& list : mesh->children) {
            if (list.name != "triangles" && list.name != "lines") continue;
            std::size_t stride = 1, offset = 0;
            std::string_view source;
            for (const Element& input : list.children) {
                if (input.name != "input") continue;
                const std::size_t k = numbers<std::size_t>(input.attribute("offset")).at(0);
                stride = std::max(stride, k + 1);
                if (input.attribute("semantic") == "VERTEX") offset = k, source = input.attribute("source");
            }
            // The vertices name their positions, and these the array.
            const Element* input =
                at(source)->find([](const Element& e) { return e.attribute("semantic") == "POSITION"; });
            const std::vector<double> xyz =
                numbers<double>(at(input->attribute("source"))->by_name("float_array")->text);
            const auto placed = [&](std::uint32_t i) {
                std::array<double, 3> p{};
                for (std::size_t r = 0; r < 3; ++r) {
                    p[r] = m[4 * r + 3];
                    for (std::size_t k = 0; k < 3; ++k) p[r] += m[4 * r + k] * xyz.at(3 * i + k);
                }
                return Vec3{p[0], p[2], -p[1]};  // the files have z upwards, the planner y
            };
            const std::vector<std::uint32_t> all = numbers<std::uint32_t>(list.by_name("p")->text);
            std::set<std::uint32_t> named;
            for (std::size_t i = offset; i < all.size(); i += stride) {
                named.insert(all[i]);
                if (list.name == "triangles") soup.corners.push_back(soup.add(placed(all[i])));
            }
            for (const std::uint32_t i : named) sum_ = sum_ + placed(i);
            count_ += named.size();
        }
    }

    Element root_;
    std::map<std::string_view, const Element*> ids_;
    Vec3 sum_;
    std::size_t count_ = 0;
};

}  // namespace reading

/// Two interlinked tori that fall: both move, so the path is that of the second seen from the first.
inline std::optional<scenes::Motion> read_tori() {
    scenes::Motion out;
    out.name = "tori";
    std::vector<Pose> world_from[2];
    for (int k = 0; k < 2; ++k) {
        const std::string stem = shared_models + "unc-falling/torus" + std::to_string(k + 1);
        const auto tris = reading::whole_file(stem + ".tris"), path = reading::whole_file(stem + ".path");
        if (!tris || !path) return {};
        scenes::Soup& soup = k ? out.body : out.environment;
        const std::vector<double> t = reading::numbers<double>(*tris), f = reading::numbers<double>(*path);
        for (std::size_t i = 1; i + 2 < t.size(); i += 3) soup.corners.push_back(soup.add({t[i], t[i + 1], t[i + 2]}));
        for (std::size_t i = 1; i + 11 < f.size(); i += 12)
            world_from[k].push_back(
                *Pose::from_matrix({{Vec3{f[i], f[i + 1], f[i + 2]}, Vec3{f[i + 3], f[i + 4], f[i + 5]},
                                     Vec3{f[i + 6], f[i + 7], f[i + 8]}}},
                                   {f[i + 9], f[i + 10], f[i + 11]}));
    }
    for (std::size_t i = 0; i < std::min(world_from[0].size(), world_from[1].size()); ++i)
        out.path.push_back(relative(world_from[0][i], world_from[1][i]));
    return out;
}

/// A robot on its planned way, in steps of the motion size given. The planner moves the robot about its centre.
inline std::optional<scenes::Motion> read_planned(const std::string& environment, const std::string& robot,
                                                  const std::string& path, double motion) {
    const std::string folder = shared_models + "ompl/";
    const auto env = reading::whole_file(folder + environment), rob = reading::whole_file(folder + robot),
               way = reading::whole_file(folder + path);
    if (!env || !rob || !way) return {};
    const reading::Collada world(*env), body(*rob);
    scenes::Motion out{path, world.soup, body.soup, {}};
    for (Vec3& p : out.body.points) p = p - body.centre();
    const std::vector<double> n = reading::numbers<double>(*way);
    std::vector<Pose> keys;
    for (std::size_t i = 0; i + 6 < n.size(); i += 7)
        keys.push_back(*Pose::from_quaternion({n[i + 3], n[i + 4], n[i + 5], n[i + 6]}, {n[i], n[i + 1], n[i + 2]}));
    out.path = scenes::resampled(keys, out.body, motion);
    return out;
}
inline std::optional<scenes::Motion> read_alpha(double motion) {
    return read_planned("alpha_env-1.2.dae", "alpha_robot.dae", "alpha-1.2.path", motion);
}
inline std::optional<scenes::Motion> read_cooler(double motion) {
    return read_planned("Twistycooler_env.dae", "Twistycooler_robot.dae", "Twistycooler.path", motion);
}

}  // namespace graze::test
