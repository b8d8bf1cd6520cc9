import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	machineZone,
	nextAfter,
	parseSchedule,
	problemWithZone,
	type Schedule,
} from '../../source/schedule/when.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const parse = (text: string, timeZone = 'UTC', anchorMs = 0): Schedule => {
	const parsed = parseSchedule(text, {timeZone, anchorMs});
	if (!parsed.ok) {
		throw new Error(parsed.problem);
	}

	return parsed.schedule;
};

const times = (schedule: Schedule, from: string, count: number): readonly string[] => {
	const found: string[] = [];
	let at = Date.parse(from);
	for (let index = 0; index < count; index++) {
		const next = nextAfter(schedule, at);
		if (next === undefined) {
			break;
		}

		found.push(new Date(next).toISOString().replace('.000Z', 'Z'));
		at = next;
	}

	return found;
};

test.for([
	['five fields', '0 9 * * 1-5', 'UTC', '2026-11-20T12:00:00Z', ['2026-11-23T09:00:00Z']],
	['names of days', '0 9 * * MON-FRI', 'UTC', '2026-11-20T12:00:00Z', ['2026-11-23T09:00:00Z']],
	[
		'six fields, seconds first',
		'*/20 30 9 * * *',
		'UTC',
		'2026-11-20T09:30:19.999Z',
		['2026-11-20T09:30:20Z', '2026-11-20T09:30:40Z', '2026-11-21T09:30:00Z'],
	],
	['other blanks', ' 0\t9  * * * ', 'UTC', '2026-11-20T12:00:00Z', ['2026-11-21T09:00:00Z']],
	[
		'a zone',
		'0 9 * * *',
		'America/New_York',
		'2026-11-20T12:00:00Z',
		['2026-11-20T14:00:00Z', '2026-11-21T14:00:00Z'],
	],
	[
		'the leap day',
		'0 0 29 2 *',
		'UTC',
		'2026-01-01T00:00:00Z',
		['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z'],
	],
	[
		'the last day of a month',
		'0 0 L * *',
		'UTC',
		'2027-01-31T12:00:00Z',
		['2027-02-28T00:00:00Z', '2027-03-31T00:00:00Z'],
	],
	[
		'Berlin, the hour that spring leaves out: right after it',
		'30 2 * * *',
		'Europe/Berlin',
		'2026-03-28T00:00:00Z',
		['2026-03-28T01:30:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
	],
	[
		'Berlin, several times in that hour: once after it',
		'0,30 2 * * *',
		'Europe/Berlin',
		'2026-03-28T12:00:00Z',
		['2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z'],
	],
	[
		'Berlin, every half hour over spring: as the clock goes',
		'*/30 * * * *',
		'Europe/Berlin',
		'2026-03-29T00:20:00Z',
		['2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'],
	],
	[
		'Berlin, the hour that autumn repeats: once',
		'30 2 * * *',
		'Europe/Berlin',
		'2026-10-24T12:00:00Z',
		['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
	],
	[
		'Berlin, every half hour over autumn: both hours',
		'*/30 * * * *',
		'Europe/Berlin',
		'2026-10-25T00:10:00Z',
		[
			'2026-10-25T00:30:00Z',
			'2026-10-25T01:00:00Z',
			'2026-10-25T01:30:00Z',
			'2026-10-25T02:00:00Z',
		],
	],
	[
		'New York, spring',
		'30 2 * * *',
		'America/New_York',
		'2026-03-07T12:00:00Z',
		['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z'],
	],
	[
		'New York, autumn',
		'30 1 * * *',
		'America/New_York',
		'2026-10-31T12:00:00Z',
		['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z'],
	],
] as const)('a cron expression fires in its zone: %s', ([, text, zone, from, expected]) => {
	expect(times(parse(text, zone), from, expected.length)).toEqual(expected);
});

test.for([
	['every 30s', 30_000],
	['every 15m', 900_000],
	['every 2h', 7_200_000],
	['every 1d', 86_400_000],
	['Every  2 H', 7_200_000],
	['every 1s', 1000],
	['every 366d', 366 * 86_400_000],
] as const)('an interval counts from its anchor: %s', ([text, everyMs]) => {
	const anchorMs = Date.parse('2026-03-28T10:00:00.250Z');
	const schedule = parse(text, 'Europe/Berlin', anchorMs);
	expect(nextAfter(schedule, anchorMs - 5)).toBe(anchorMs + everyMs);
	// A clock that was set back by more than an interval must not stop it.
	expect(nextAfter(schedule, anchorMs - 2 * everyMs)).toBe(anchorMs - everyMs);
	expect(nextAfter(schedule, anchorMs)).toBe(anchorMs + everyMs);
	expect(nextAfter(schedule, anchorMs + everyMs - 1)).toBe(anchorMs + everyMs);
	expect(nextAfter(schedule, anchorMs + everyMs)).toBe(anchorMs + 2 * everyMs);
	expect(nextAfter(schedule, anchorMs + 1000 * everyMs + 1)).toBe(anchorMs + 1001 * everyMs);
});

test.for([
	['with an offset', '2026-12-24T18:00:00+01:00', 'UTC', '2026-12-24T17:00:00.000Z'],
	['with a short offset', '2026-12-24T18:00-0530', 'UTC', '2026-12-24T23:30:00.000Z'],
	['with hours as offset', '2026-12-24T18:00+02', 'UTC', '2026-12-24T16:00:00.000Z'],
	['in UTC', '2026-12-24T18:00:00.25Z', 'Europe/Berlin', '2026-12-24T18:00:00.250Z'],
	['local to the zone', '2026-12-24T18:00', 'Europe/Berlin', '2026-12-24T17:00:00.000Z'],
	['with a blank', '2026-12-24 18:00:30', 'America/New_York', '2026-12-24T23:00:30.000Z'],
	['twice in autumn: the first', '2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
	['left out in spring: later', '2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
	['in the past', '1999-01-01T00:00Z', 'UTC', '1999-01-01T00:00:00.000Z'],
	['on a leap day', '2028-02-29T00:00Z', 'UTC', '2028-02-29T00:00:00.000Z'],
] as const)('one time fires once: %s', ([, text, zone, expected]) => {
	const schedule = parse(text, zone);
	const at = Date.parse(expected);
	expect(schedule).toEqual({kind: 'once', at});
	expect(nextAfter(schedule, at - 1)).toBe(at);
	expect(nextAfter(schedule, at)).toBeUndefined();
});

test.for([
	['nothing', '', /"" is not a schedule/],
	['a word', 'tomorrow', /"tomorrow" is not a schedule/],
	['four fields', '* * * *', /"\* \* \* \*" is not a schedule/],
	['seven fields', '0 0 0 1 1 * 2030', /is not a schedule/],
	['a nickname', '@daily', /"@daily" is not a schedule/],
	['a minute too many', '60 0 * * *', /is not a schedule \(Invalid value for minute: 60\)/],
	['a day that no month has', '0 0 32 * *', /is not a schedule/],
	['a date that never comes', '0 0 30 2 *', /"0 0 30 2 \*" never fires/],
	['another one', '0 0 31 2,4,6,9,11 *', /never fires/],
	['no step', '*/0 * * * *', /is not a schedule/],
	['no interval', 'every', /"every" is not a schedule/],
	['an interval of nothing', 'every 0s', /"every 0s" is not an interval from 1 second to 366 days/],
	['an interval of weeks', 'every 2w', /"every 2w" is not a schedule/],
	['an interval of years', 'every 367d', /is not an interval/],
	['an interval of ages', 'every 99999999999d', /is not a schedule/],
	['a fraction', 'every 1.5h', /is not a schedule/],
	['a date alone', '2026-12-24', /"2026-12-24" is not a time/],
	['a day that is none', '2026-02-30T10:00', /is not a time of the calendar/],
	['an hour that is none', '2026-02-20T25:00', /is not a time of the calendar/],
	['an offset that is none', '2026-02-20T20:00+99:00', /is not a time of the calendar/],
	['a long text', '1,'.repeat(500), /is longer than 200 characters/],
] as const)('what is no schedule is refused with what is allowed: %s', ([, text, words]) => {
	const parsed = parseSchedule(text, {timeZone: 'UTC', anchorMs: 0});
	expect(parsed).toMatchObject({ok: false, problem: expect.stringMatching(words)});
	expect(parsed).toMatchObject({problem: expect.stringContaining('five or six cron fields')});
});

test('a problem holds nothing that a terminal obeys', () => {
	const parsed = parseSchedule('\u001b[2J\u202e* * * *', {timeZone: 'UTC', anchorMs: 0});
	expect(parsed).toMatchObject({ok: false, problem: expect.not.stringMatching(/[\p{Cc}\p{Cf}]/u)});
});

test.for(['UTC', 'Europe/Berlin', 'america/new_york', 'Etc/GMT+3'])('%s is a zone', zone => {
	expect(problemWithZone(zone)).toBeUndefined();
	expect(nextAfter(parse('0 9 * * *', zone), 0)).toBeTypeOf('number');
});

test.for(['', 'Berlin', 'Mars/Olympus', '+02:00', 'x'.repeat(100), 'Europe/Berlin\n', '__proto__'])(
	'"%s" is no zone',
	zone => {
		expect(problemWithZone(zone)).toContain('is not a time zone');
	},
);

test('the machine is in a zone', () => {
	expect(problemWithZone(machineZone())).toBeUndefined();
});

const scheduleText = fc.oneof(
	fc.string(),
	fc.string({unit: 'binary'}),
	fc
		.array(
			fc.constantFrom('*', '*/7', '1-5', '31', 'L', '15W', '5#2', 'MON', 'JAN', '?', '0', '-', ','),
			{
				minLength: 4,
				maxLength: 7,
			},
		)
		.map(fields => fields.join(' ')),
	fc.tuple(fc.nat(), fc.constantFrom('s', 'm', 'h', 'd', 'x')).map(([n, u]) => `every ${n}${u}`),
	fc.date({noInvalidDate: true}).map(date => date.toISOString()),
	fc.stringMatching(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([+-]\d\d:?\d\d|Z)?$/),
);

test('no text makes the parser throw, and what it accepts fires later than asked', () => {
	fc.assert(
		fc.property(
			scheduleText,
			fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
			fc.integer({min: 0, max: 4e12}),
			(text, timeZone, afterMs) => {
				const parsed = parseSchedule(text, {timeZone, anchorMs: 0});
				const next = parsed.ok ? nextAfter(parsed.schedule, afterMs) : undefined;
				expect(parsed.ok || parsed.problem.length).toBeTruthy();
				expect(next ?? afterMs + 1).toBeGreaterThan(afterMs);
				expect(Number.isSafeInteger(next ?? 0)).toBe(true);
			},
		),
		{numRuns: propertyRuns(1500)},
	);
});
