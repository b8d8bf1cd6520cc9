import {literal, safe} from '../../terminal/text/safe.ts';
import {formLines} from '../forms/form-lines.ts';
import {blankLine, clean, line, wrapText} from '../lines/line.ts';
import type {ToolTrial} from '../trial/tool-trial.ts';
import type {BoxContent} from './box-content.ts';

const indent = 4;
const maxSaid = 4;
const widest = 96;

/** The arguments of a tool that is tried. */
export function trialLines(trial: ToolTrial, roomWidth: number): BoxContent {
	const width = Math.min(roomWidth, widest);
	const said = wrapText(clean(trial.description.replaceAll(/\s+/g, ' ')), width - indent - 1);
	const head = [
		line(literal('  text by the server'), 'quiet'),
		...said.slice(0, maxSaid).map(row => line(safe`    ${row}`)),
		...(said.length > maxSaid ? [line(literal('    …'))] : []),
		blankLine,
		line(literal('  Each argument takes JSON, or else a text; empty ones are left out.'), 'quiet'),
		line(literal('  A call that needs approval asks for it: ! opens it.'), 'quiet'),
		blankLine,
	];
	const {rows, cursor} = formLines(trial.form, width);
	return {
		title: [[{text: safe`Try ${clean(trial.tool)}`, tone: 'title'}], [{text: clean(trial.server)}]],
		rows: [...head, ...rows],
		shown: head.length + cursor.last,
		width,
	};
}
