// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const path = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    .find((p) => p && existsSync(p));
if (!path) {
    console.log('browser tests skipped: there is no Chromium (script/bootstrap browser installs it)');
    process.exit(0);
}

export const launch = () => chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu',
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'] });

export const desktop = { viewport: { width: 1280, height: 800 } };
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
