// SPDX-License-Identifier: Apache-2.0
// graze: exact collision detection for polygon soups. This header includes all the others.
#pragma once

#include "graze/front.hpp"
#include "graze/hull.hpp"
#include "graze/math.hpp"
#include "graze/model.hpp"
#include "graze/query.hpp"
#include "graze/ray.hpp"
#include "graze/region.hpp"
#include "graze/result.hpp"
#include "graze/scene.hpp"
#include "graze/soup.hpp"
#include "graze/study.hpp"
#include "graze/tightness.hpp"
#include "graze/triangle.hpp"
