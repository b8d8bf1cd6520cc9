import {literal, safe} from '../../terminal/text/safe.ts';
import {formLines} from '../forms/form-lines.ts';
import {blankLine, clean, line, wrapText} from '../panes/line.ts';
import type {ToolTrial} from '../trial/tool-trial.ts';
import {LineBlock} from './line-block.tsx';

export type TrialBodyProps = {
	readonly trial: ToolTrial;
	readonly width: number;
	readonly height: number;
};

const indent = 4;
const maxSaid = 4;

/** The arguments of a tool that is tried. */
export function TrialBody({trial, width, height}: TrialBodyProps) {
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
	const top = Math.max(0, head.length + cursor.last - height + 1);
	return <LineBlock rows={[...head, ...rows]} top={top} width={width} height={height} />;
}
