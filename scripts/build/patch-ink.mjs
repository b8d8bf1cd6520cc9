// Ink lays every frame out with new caches, so that it tokenises and measures the same texts again with each: a third of what a frame costs
// here. Bundled, it keeps them from frame to frame, within a bound. What it draws stays the same, which tests/scripts/patch-ink.test.ts checks.
// Not a fork: three edits of one file, of exactly one version.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

const version = '8.0.0';

const edits = [
	['    caches = new OutputCaches();\n', '    caches = keptCaches();\n'],
	[
		'        const characterLines = [[]];\n' +
			'        for (const character of this.caches.getStyledChars(text)) {\n' +
			"            if (character.value === '\\n') {\n" +
			'                characterLines.push([]);\n' +
			'            }\n' +
			'            else {\n' +
			'                characterLines.at(-1).push(character);\n' +
			'            }\n' +
			'        }\n' +
			'        let lines = characterLines.map(line => styledCharsToString(line));\n',
		'        let lines = this.caches.getLines(text);\n',
	],
	[
		'export default class Output {\n',
		`
// Cells of a few screens, and as many texts: what is on the screen now, and what it showed before.
const maxCells = 32_768;
const maxTexts = 8192;
class KeptCaches extends OutputCaches {
    lines = new Map();
    cells = 0;
    getStyledChars(text) {
        const known = this.styledChars.size;
        const characters = super.getStyledChars(text);
        if (this.styledChars.size > known) {
            this.cells += characters.length;
        }
        return characters;
    }
    getLines(text) {
        let cached = this.lines.get(text);
        if (cached === undefined) {
            const characterLines = [[]];
            for (const character of this.getStyledChars(text)) {
                if (character.value === '\\n') {
                    characterLines.push([]);
                }
                else {
                    characterLines.at(-1).push(character);
                }
            }
            cached = characterLines.map(line => styledCharsToString(line));
            this.lines.set(text, cached);
        }
        return cached;
    }
    get isFull() {
        return this.cells > maxCells || this.widths.size > maxTexts || this.lines.size > maxTexts;
    }
}
let kept = new KeptCaches();
const keptCaches = () => {
    if (kept.isFull) {
        kept = new KeptCaches();
    }
    return kept;
};
export default class Output {
`,
	],
];

/** A plugin of the bundler. The build fails where Ink is not what the edits were made for. */
export function patchInk() {
	return {
		name: 'patch-ink',
		load(id) {
			if (!/[\\/]ink[\\/]build[\\/]output\.js$/.test(id)) {
				return undefined;
			}

			const manifest = join(dirname(id), '..', 'package.json');
			const found = JSON.parse(readFileSync(manifest, 'utf8')).version;
			if (found !== version) {
				throw new Error(
					`Cannot patch Ink ${found}: the patch was made for ${version}. Look at what changed in build/output.js, and at scripts/build/patch-ink.mjs`,
				);
			}

			return edits.reduce(
				(code, [before, after]) => {
					if (code.split(before).length !== 2) {
						throw new Error(
							`Cannot patch Ink: "${before.trim().slice(0, 60)}" is not there once in build/output.js`,
						);
					}

					return code.replace(before, () => after);
				},
				readFileSync(id, 'utf8'),
			);
		},
	};
}
