import {describe, expect, test} from 'vitest';
import {endOf, mayUseModel, periodEnd, periodStart} from '../../../source/core/api-key.ts';
import {dayOf} from '../../../source/core/clock.ts';

describe('a key', () => {
	test.each([
		[['*'], 'anything', true],
		[['svc-agent-1'], 'svc-agent-1', true],
		[['svc-agent-1'], 'svc-agent-10', false],
		[['svc-*'], 'svc-agent-1', true],
		[['svc-*'], 'other-agent', false],
		[['*-1'], 'svc-agent-1', true],
		[['a*b*c'], 'a--b--c', true],
		[['a*b*c'], 'a--c', false],
		[['ab*b'], 'ab', false],
		[['a*b*ab'], 'aab', false],
		[['svc.agent'], 'svc-agent', false],
		[[], 'svc-agent-1', false],
		[['x', 'svc-*'], 'svc-agent-1', true],
	])('for the models %j may use %s: %s', (models, model, expected) => {
		expect(mayUseModel({models}, model)).toBe(expected);
	});

	test('reads many stars in no time', () => {
		expect(mayUseModel({models: ['*a'.repeat(50_000)]}, 'a'.repeat(40_000))).toBe(false);
	});

	test('has ended when it was revoked, and from its last moment on', () => {
		expect(endOf({}, 1000)).toBeUndefined();
		expect(endOf({expiresAt: 1001}, 1000)).toBeUndefined();
		expect(endOf({expiresAt: 1000}, 1000)).toBe('expired');
		expect(endOf({revokedAt: 1, expiresAt: 5}, 1000)).toBe('revoked');
	});
});

describe('the time of a budget', () => {
	const at = Date.parse('2026-11-25T13:14:15Z');

	test.each([
		['day', '2026-11-25', '2026-11-26'],
		// A Wednesday.
		['week', '2026-11-23', '2026-11-30'],
		['month', '2026-11-01', '2026-12-01'],
	] as const)('a %s', (per, start, end) => {
		expect(dayOf(periodStart(at, per))).toBe(start);
		expect(periodStart(at, per) % 86_400_000).toBe(0);
		expect(dayOf(periodEnd(at, per))).toBe(end);
		expect(periodEnd(at, per) % 86_400_000).toBe(0);
	});

	test('a week begins on Monday, also seen from Sunday, and a month ends with the year', () => {
		expect(dayOf(periodStart(Date.parse('2026-11-29T23:59:59Z'), 'week'))).toBe('2026-11-23');
		expect(dayOf(periodStart(Date.parse('2026-11-23T00:00:00Z'), 'week'))).toBe('2026-11-23');
		expect(dayOf(periodEnd(Date.parse('2026-12-31T23:59:59Z'), 'month'))).toBe('2027-01-01');
	});
});
