import {expect, test} from 'vitest';
import {createCallsUnderWay} from '../../../source/mcp/connection/calls-under-way.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const timeoutMs = 1000;

test('a call ends when its time is over, once', () => {
	const clock = createFakeClock();
	const calls = createCallsUnderWay(clock);
	let timeouts = 0;
	calls.begin({timeoutMs, onTimeout: () => (timeouts += 1)});

	clock.advance(999);
	expect(timeouts).toBe(0);
	clock.advance(1);
	clock.advance(5000);
	expect(timeouts).toBe(1);
});

test('the tool’s timeout pauses while a question waits, also one that began before the call', () => {
	const clock = createFakeClock();
	const calls = createCallsUnderWay(clock);
	const ended: string[] = [];
	calls.begin({timeoutMs, onTimeout: () => ended.push('first')});
	clock.advance(600);
	const question = calls.pause();
	calls.begin({timeoutMs, onTimeout: () => ended.push('second')});
	const other = calls.pause();
	clock.advance(10_000);
	question[Symbol.dispose]();
	question[Symbol.dispose]();
	clock.advance(10_000);
	expect(ended).toEqual([]);

	other[Symbol.dispose]();
	clock.advance(399);
	expect(ended).toEqual([]);
	clock.advance(1);
	expect(ended).toEqual(['first']);
	clock.advance(600);
	expect(ended).toEqual(['first', 'second']);
});

test('a call that has an answer leaves no timer behind, also after a pause', () => {
	const clock = createFakeClock();
	const calls = createCallsUnderWay(clock);
	let timeouts = 0;
	const call = calls.begin({timeoutMs, onTimeout: () => (timeouts += 1)});
	const pause = calls.pause();
	call[Symbol.dispose]();
	pause[Symbol.dispose]();
	clock.advance(5000);

	expect(timeouts).toBe(0);
	expect(calls.count).toBe(0);
});

test('a question belongs to a run when all calls under way do', () => {
	const calls = createCallsUnderWay(createFakeClock());
	const begin = (runId?: number) => calls.begin({runId, timeoutMs, onTimeout() {}});
	expect(calls.runId()).toBeUndefined();

	begin(7);
	begin(7);
	expect(calls.runId()).toBe(7);
	expect(calls.count).toBe(2);

	const other = begin(8);
	expect(calls.runId()).toBeUndefined();
	other[Symbol.dispose]();
	begin();
	expect(calls.runId()).toBeUndefined();
});
