import {expect, test} from 'vitest';
import {wholeTrace} from '../../source/core/delivery.ts';
import type {TraceStep} from '../../source/core/delivery.ts';

const journal: TraceStep = {step: 'journal', verdict: 'pass', detail: 'on disk'};
const dispatch = (detail: string): TraceStep => ({step: 'dispatch', verdict: 'pass', detail});

test('what the journal has as a number ends the decision, once', () => {
	const accepted = {status: 202, runId: 7};
	expect(wholeTrace({...accepted, trace: [journal]})).toEqual([journal, dispatch('run 7 queued')]);
	const late = [journal, dispatch('above the rate')];
	expect(wholeTrace({...accepted, trace: late})).toEqual([
		journal,
		dispatch('above the rate; run 7 queued'),
	]);
	const live = [journal, dispatch('run 7 queued')];
	expect(wholeTrace({...accepted, trace: live})).toBe(live);
});

test('a decision without a run of its own is as it was written', () => {
	const trace = [journal];
	for (const delivery of [
		{status: 202, trace},
		{status: 202, runId: 7, group: 3, trace},
		{status: 200, runId: 7, trace},
	]) {
		expect(wholeTrace(delivery)).toBe(trace);
	}

	expect(wholeTrace({status: 202, runId: 7, trace: []})).toEqual([]);
});
