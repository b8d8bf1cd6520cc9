import {formLines} from '../forms/form-lines.ts';
import {blankLine, line} from '../panes/line.ts';
import {own} from '../text/safe.ts';
import type {ToolTrial} from '../tools/tool-trial.ts';
import {LineBlock} from './line-block.tsx';

export type TrialBodyProps = {
	readonly trial: ToolTrial;
	readonly width: number;
	readonly height: number;
};

/** The arguments of a tool that is tried. */
export function TrialBody({trial, width, height}: TrialBodyProps) {
	const head = [
		line(own('  Each argument takes JSON, or else a text; empty ones are left out.'), 'quiet'),
		line(own('  A call that needs approval asks for it: ! opens it.'), 'quiet'),
		blankLine,
	];
	const {rows, cursor} = formLines(trial.form, width);
	const top = Math.max(0, head.length + cursor.last - height + 1);
	return <LineBlock rows={[...head, ...rows]} top={top} width={width} height={height} />;
}
