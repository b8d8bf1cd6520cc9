import type {Clock} from '../../core/clock.ts';
import {mouseReportLength, type Token} from './split-input.ts';

/** A mouse report. Columns and rows count from 1; 0 if the report was torn. */
export type MouseEvent = {
	readonly kind: 'press' | 'release' | 'move' | 'wheel-up' | 'wheel-down' | 'other';
	/** 0 left, 1 middle, 2 right; -1 for none. */
	readonly button: number;
	readonly column: number;
	readonly row: number;
	/** When it was read: `Clock.monotonic()`, milliseconds. */
	readonly t: number;
};

const motionBit = 32;
const wheelBit = 64;
const extraButtonsBit = 128;

/** The event of an SGR report, without modifiers. */
export function mouseEventOf(report: Extract<Token, {kind: 'mouse'}>, t: number): MouseEvent {
	const {button, column, row} = report;
	const low = button & 3;
	return {kind: kindOf(report), button: low === 3 ? -1 : low, column, row, t};
}

/** A mouse action whose report arrived in pieces, too late to be parsed. */
export const tornMouseEvent = (t: number): MouseEvent => ({
	kind: 'other',
	button: -1,
	column: 0,
	row: 0,
	t,
});

function kindOf({button, released}: Extract<Token, {kind: 'mouse'}>): MouseEvent['kind'] {
	if ((button & extraButtonsBit) !== 0) {
		return 'other';
	}

	if ((button & wheelBit) !== 0) {
		return (['wheel-up', 'wheel-down'] as const)[button & 3] ?? 'other';
	}

	if (released) {
		return 'release';
	}

	return (button & motionBit) === 0 ? 'press' : 'move';
}

const restMs = 1000;

/** Prevents the late rest of a torn mouse report from being typed. */
export function createTornMouse(clock: Clock) {
	let torn: {readonly raw: string; readonly t: number} | undefined;
	return {
		giveUp(raw: string) {
			torn = {raw, t: clock.monotonic()};
		},
		/** The number of UTF-16 units at the beginning of `text` that belong to the torn report. */
		restLength(text: string): number {
			const taken = torn;
			torn = undefined;
			return taken === undefined || clock.monotonic() - taken.t > restMs
				? 0
				: Math.max(0, mouseReportLength(taken.raw + text) - taken.raw.length);
		},
		/** Forgets the torn report. */
		clear() {
			torn = undefined;
		},
	};
}
