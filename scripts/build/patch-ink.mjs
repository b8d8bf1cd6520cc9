// Ink lays every frame out with new caches, so that it tokenises and measures the same texts again with each: a third of what a frame costs
// here. Bundled, it keeps them from frame to frame, within a bound. And it writes a changed row from its first change on, and three bytes for each row that did not change: over SSH, a
// screen on which only figures move is mostly that. Bundled, it writes the cells that changed. And the signs that stand in most of our rows are measured like letters. What it draws stays the same, which tests/scripts/patch-ink.test.ts checks.
// Not a fork: a few edits of four files, of exactly one version each.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const versions = {ink: '8.0.0', 'string-width': '8.3.0'};

const changedCells = join(dirname(fileURLToPath(import.meta.url)), 'changed-cells.mjs');

const outputEdits = [
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

const lineEdits = [
	[
		'export default function lineUpdate(',
		`import {changedCells} from ${JSON.stringify(changedCells)};
export default function lineUpdate(previous, next, columns) {
    return (columns > 0 ? changedCells(previous, next, columns) : undefined) ?? inkLineUpdate(previous, next, columns);
}
function inkLineUpdate(`,
	],
];

const logEdits = [
	[
		"        stream.write(buffer.join(''));\n",
		// oxlint-disable-next-line no-template-curly-in-string -- it stands in the patched file
		"        stream.write(buffer.join('').replaceAll(/(?:\\u001B\\[E){2,}/g, run => `\\u001B[${run.length / 3}E`));\n",
	],
];

// As `oneCellEach` of changed-cells.mjs.
const widthEdits = [
	[
		'	if (/^[\\u0020-\\u007E]*$/.test(string)) {\n',
		'	if (/^[ -~─·…●○◐✓✗–×█░]*$/.test(string)) {\n',
	],
];

const editsOf = new Map([
	['ink/build/output.js', outputEdits],
	['ink/build/line-update.js', lineEdits],
	['ink/build/log-update.js', logEdits],
	['string-width/index.js', widthEdits],
]);

const patchedFile = /[\\/](?:(ink)[\\/]build|(string-width))[\\/][^\\/]+$/;

/** A plugin of the bundler. The build fails where Ink is not what the edits were made for. */
export function patchInk() {
	return {
		name: 'patch-ink',
		load(id) {
			const [path = '', ink, other] = patchedFile.exec(id) ?? [];
			const name = ink ?? other;
			const file = path.slice(1).replaceAll('\\', '/');
			const edits = editsOf.get(file);
			if (!edits) {
				return undefined;
			}

			const manifest = join(id.slice(0, -path.length), name, 'package.json');
			const found = JSON.parse(readFileSync(manifest, 'utf8')).version;
			if (found !== versions[name]) {
				throw new Error(
					`Cannot patch ${name} ${found}: the patch was made for ${versions[name]}. Look at what changed in ${file}, and at scripts/build/patch-ink.mjs`,
				);
			}

			return edits.reduce(
				(code, [before, after]) => {
					if (code.split(before).length !== 2) {
						throw new Error(
							`Cannot patch ${name}: "${before.trim().slice(0, 60)}" is not there once in ${file}`,
						);
					}

					return code.replace(before, () => after);
				},
				readFileSync(id, 'utf8'),
			);
		},
	};
}
