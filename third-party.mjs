// The licence texts of the packages whose code is in the executable.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
/** The end of a README, from the heading on. */
const SECTION = /^#+ *licen[cs]e *\n+([\s\S]+)$/im;
const RULE = '-'.repeat(80);

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to
whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const readText = (...path) => readFileSync(join(...path), 'utf8').replaceAll('\r\n', '\n');

/** The texts that a package ships, otherwise that of the licence which it names. Throws an error for an unknown one. */
function licenceOf(folder, apache) {
  const files = readdirSync(folder).filter((file) => FILE.test(file));
  if (files.length > 0) return files.map((file) => readText(folder, file).trim()).join(`\n\n${RULE}\n\n`);
  const { name, license, repository } = JSON.parse(readText(folder, 'package.json'));
  const section = SECTION.exec(readText(folder, 'README.md'))?.[1];
  if (section?.includes('WARRANTIES')) return section.trim();
  if (license === 'Apache-2.0') return apache;
  if (license === 'MIT') return `Copyright (c) the authors of ${repository.url}\n\n${MIT}`;
  throw new Error(`${name} ships no text of its licence ${license}: add it to third-party.mjs`);
}

/** `packages` by name@version, each with its folder; `apache` is the text of Apache-2.0. Packages with the same text share it. */
export function printLicences(packages, apache) {
  const byText = Map.groupBy([...packages].sort(), ([, folder]) => licenceOf(folder, apache));
  const parts = [...byText].map(([text, group]) => `${group.map(([name]) => name).join('\n')}\n\n${text}\n`);
  return `The executable of opsdeck contains code of these packages, under these licences.\n\n${[...parts].join(`\n${'='.repeat(80)}\n\n`)}`;
}
