import type {Screen} from './cells.ts';
import {drawRow, windowOf} from './svg.ts';

/** A screen, and how long it stands. */
export type Frame = {readonly screen: Screen; readonly ms: number};

/** A row as it is drawn, and the frames that have it. */
type Drawn = {readonly svg: string; readonly frames: Set<number>};

function rowsOf(frames: readonly Frame[]): readonly Drawn[] {
	const found = new Map<string, Drawn>();
	for (const [number, {screen}] of frames.entries()) {
		for (const [index, row] of screen.entries()) {
			const svg = drawRow(row, index);
			const drawn = found.get(svg) ?? {svg, frames: new Set<number>()};
			drawn.frames.add(number);
			found.set(svg, drawn);
		}
	}

	found.delete('');
	return [...found.values()];
}

const digits = 10_000;

/** When `drawn` is seen: an animation of SVG itself, since a page that shows a picture runs no script in it. What the first frame has is there without it. */
function animate({svg, frames}: Drawn, starts: readonly number[], totalMs: number): string {
	if (frames.size === starts.length) {
		return svg;
	}

	const changes = starts.flatMap((start, number) =>
		number === 0 || frames.has(number) !== frames.has(number - 1)
			? [{at: Math.round((start / totalMs) * digits) / digits, isSeen: frames.has(number)}]
			: [],
	);
	const values = changes.map(({isSeen}) => (isSeen ? 'visible' : 'hidden')).join(';');
	const times = changes.map(({at}) => at).join(';');
	return [
		`<g${frames.has(0) ? '' : ' visibility="hidden"'}>`,
		`<animate attributeName="visibility" calcMode="discrete" dur="${totalMs / 1000}s" repeatCount="indefinite" values="${values}" keyTimes="${times}"/>`,
		svg,
		'</g>',
	].join('\n');
}

/** Frames one after the other, again and again. Rows that stay are drawn once. */
export function movingSvgOf(frames: readonly Frame[], title: string): string {
	const [first] = frames;
	if (!first) {
		throw new Error('A picture that moves needs a frame');
	}

	let totalMs = 0;
	const starts = frames.map(({ms}) => {
		totalMs += ms;
		return totalMs - ms;
	});
	return windowOf(
		rowsOf(frames).map(drawn => animate(drawn, starts, totalMs)),
		{screen: first.screen, title},
	);
}
