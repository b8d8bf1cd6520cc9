// Ink lays every frame out with new caches, so that it tokenises and measures the same texts again with each: a third of what a frame costs
// here. Bundled, it keeps them from frame to frame, within a bound. And it writes a changed row from its first change on, and three bytes for each row that did not change: over SSH, a
// screen on which only figures move is mostly that. Bundled, it writes the cells that changed. And the signs that stand in most of our rows are measured like letters. What it draws stays the same, which tests/scripts/patch-ink.test.ts checks.
// Not a fork: a few edits of six files, of exactly one version each.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {oneCellEach} from './changed-cells.mjs';

const versions = {ink: '8.0.0', 'string-width': '8.3.0'};

const beside = name => join(dirname(fileURLToPath(import.meta.url)), name);
const changedCells = beside('changed-cells.mjs');
const keptCells = beside('kept-cells.mjs');
const remembered = beside('remember.mjs');

const outputEdits = [
	['    caches = new OutputCaches();\n', '    caches = kept.latest();\n'],
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
		'                const characterWidth = Math.max(1, this.caches.getStringWidth(character.value));\n',
		'                const characterWidth = character.columns;\n',
	],
	[
		"            return '';\n        }\n        const result = [];\n",
		"            return '';\n        }\n" +
			'        const whole = this.caches.getStyledChars(line);\n' +
			'        if (from <= 0 && whole.isEven && whole.length <= to) {\n' +
			'            return this.caches.getLines(line)[0];\n' +
			'        }\n' +
			'        const result = [];\n',
	],
	['        return styledCharsToString(result);\n', '        return kept.textOf(result);\n'],
	[
		'            const row = [];\n' +
			'            for (let x = 0; x < this.width; x++) {\n' +
			'                row.push({\n' +
			"                    type: 'char',\n" +
			"                    value: ' ',\n" +
			'                    fullWidth: false,\n' +
			'                    styles: [],\n' +
			'                });\n' +
			'            }\n' +
			'            output.push(row);\n',
		'            output.push(blankRow(this.width));\n',
	],
	[
		'            const lineWithoutEmptyItems = line.filter(item => item !== undefined);\n' +
			'            return styledCharsToString(lineWithoutEmptyItems).trimEnd();\n',
		'            return kept.textOf(line).trimEnd();\n',
	],
	[
		'export default class Output {\n',
		`import {blankRow, createKept} from ${JSON.stringify(keptCells)};
const kept = createKept(OutputCaches, styledCharsToString);
export default class Output {
`,
	],
];

// Every text of the screen is made clean and measured with every frame, and most are those of the frame before.
const cleanEdits = [
	[
		'const sanitizeAnsi = (text) => {\n',
		`import {remember} from ${JSON.stringify(remembered)};
const sanitizeAnsi = remember((text) => {
`,
	],
	['    return output + pendingStyles;\n};\n', '    return output + pendingStyles;\n});\n'],
];

const drawEdits = [
	["import widestLine from 'widest-line';\n", "import measureText from './measure-text.js';\n"],
	[
		'            const currentWidth = widestLine(text);\n',
		'            const currentWidth = measureText(text).width;\n',
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

const widthEdits = [
	['	if (/^[\\u0020-\\u007E]*$/.test(string)) {\n', `	if (${oneCellEach}.test(string)) {\n`],
];

const editsOf = new Map([
	['ink/build/output.js', outputEdits],
	['ink/build/sanitize-ansi.js', cleanEdits],
	['ink/build/render-node-to-output.js', drawEdits],
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
