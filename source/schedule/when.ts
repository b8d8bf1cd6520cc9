import {Cron} from 'croner';
import {messageOf} from '../core/errors.ts';
import {orElse} from '../core/or-else.ts';
import {escapeLine} from '../core/untrusted.ts';

/** When a job fires. Made only by `parseSchedule`, so that every schedule has at least one time in the calendar. */
export type Schedule =
	| {readonly kind: 'cron'; readonly pattern: Cron}
	/** At `anchorMs` plus or minus every multiple of `everyMs`, but not at the anchor. A day always has 24 hours, even when clocks change. */
	| {readonly kind: 'every'; readonly everyMs: number; readonly anchorMs: number}
	/** Once, at a time in milliseconds since 1970. */
	| {readonly kind: 'once'; readonly at: number};

type ParsedSchedule =
	| {readonly ok: true; readonly schedule: Schedule}
	| {readonly ok: false; readonly problem: string};

const maxScheduleLength = 200;
const maxZoneLength = 64;
const unitsMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};
const maxIntervalMs = 366 * 86_400_000;

const allowed =
	'use five or six cron fields ("0 9 * * 1-5"), an interval ("every 30s", "15m", "2h", "1d"), or one time ("2026-12-24T18:00:00+01:00")';

/**
 * Parses a schedule: a cron expression with five fields, or six with the seconds first; `every 30s`, `15m`, `2h`, `1d` (1 s to 366 days); or one time in ISO 8601, with its
 * offset or local to `timeZone`. Never throws; `problem` quotes the text and says what is allowed. Pure.
 *
 * `timeZone` is an IANA name that `problemWithZone` accepts; intervals count from `anchorMs`. A cron time that is left out when clocks go forward fires right after the
 * gap; one that occurs twice when clocks go back fires once. With a wildcard or a step in seconds, minutes or hours, times are skipped and repeated as the clock shows
 * them.
 *
 * @see manual/jobs.md, croner
 */
export function parseSchedule(
	text: string,
	{timeZone, anchorMs}: {readonly timeZone: string; readonly anchorMs: number},
): ParsedSchedule {
	const trimmed = text.trim();
	if (trimmed.length > maxScheduleLength) {
		return refused(trimmed, `is longer than ${maxScheduleLength} characters`);
	}

	if (/^every\b/i.test(trimmed)) {
		return parseInterval(trimmed, anchorMs);
	}

	return /^\d{4}-/.test(trimmed) ? parseTime(trimmed, timeZone) : parseCron(trimmed, timeZone);
}

/** The first time of `schedule` after `afterMs`, milliseconds since 1970; `undefined`: none (its only time is over, or none occurs before the year 3000). */
export function nextAfter(schedule: Schedule, afterMs: number): number | undefined {
	switch (schedule.kind) {
		case 'cron':
			return schedule.pattern.nextRun(new Date(afterMs))?.getTime();
		case 'every': {
			const {everyMs, anchorMs} = schedule;
			const nth = Math.floor((afterMs - anchorMs) / everyMs) + 1;
			// The anchor is no time of the schedule: one interval must pass first.
			return anchorMs + (nth === 0 ? 1 : nth) * everyMs;
		}

		case 'once':
			return schedule.at > afterMs ? schedule.at : undefined;
	}
}

/** The next times of `schedule` after `afterMs`, at most `count`. */
export function nextTimes(
	schedule: Schedule,
	{afterMs, count}: {readonly afterMs: number; readonly count: number},
): readonly number[] {
	const times: number[] = [];
	let next = nextAfter(schedule, afterMs);
	while (next !== undefined && times.length < count) {
		times.push(next);
		next = nextAfter(schedule, next);
	}

	return times;
}

/** Why `zone` cannot be a job's `time_zone`; `undefined` when it can. */
export const problemWithZone = (zone: string): string | undefined =>
	isZone(zone)
		? undefined
		: `"${escapeLine(zone, maxZoneLength)}" is not a time zone: use an IANA name such as "Europe/Berlin" or "UTC"`;

/** IANA name of the machine's zone. */
export function machineZone(): string {
	const {timeZone} = new Intl.DateTimeFormat().resolvedOptions();
	return isZone(timeZone) ? timeZone : 'UTC';
}

/** Cache of valid zones: validating one is the most expensive part of parsing a job. */
const knownZones = new Set<string>();
const maxKnownZones = 1000;

function isZone(zone: string): boolean {
	if (knownZones.has(zone)) {
		return true;
	}

	const isZoneName = /^[A-Za-z][\w/+-]*$/.test(zone) && zone.length <= maxZoneLength;
	if (!isZoneName || !engineKnows(zone)) {
		return false;
	}

	if (knownZones.size < maxKnownZones) {
		knownZones.add(zone);
	}

	return true;
}

const engineKnows = (timeZone: string): boolean =>
	orElse(() => new Intl.DateTimeFormat('en', {timeZone}).format(0) !== '', false);

function parseInterval(text: string, anchorMs: number): ParsedSchedule {
	const [, count = '', unit = ''] = /^every\s+(\d{1,9})\s*([smhd])$/i.exec(text) ?? [];
	const everyMs = Number(count) * (unitsMs[unit.toLowerCase()] ?? Number.NaN);
	if (Number.isNaN(everyMs)) {
		return refused(text, 'is not a schedule');
	}

	return everyMs >= 1000 && everyMs <= maxIntervalMs
		? {ok: true, schedule: {kind: 'every', everyMs, anchorMs}}
		: refused(text, 'is not an interval from 1 second to 366 days');
}

const timePattern =
	/^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:([Zz])|([+-]\d\d):?(\d\d)?)?$/;

function parseTime(text: string, timeZone: string): ParsedSchedule {
	const match = timePattern.exec(text);
	if (!match) {
		return refused(text, 'is not a time');
	}

	const [, day = '', minute = '', second = '00', fraction = '0', zulu, offset, more = '00'] = match;
	const local = `${day}T${minute}:${second}`;
	const millisecond = Math.floor(Number(`0.${fraction}`) * 1000);
	const asUtc = Date.parse(`${local}Z`);
	// `Date` reads 30 February as 2 March.
	const isOfCalendar = !Number.isNaN(asUtc) && new Date(asUtc).toISOString().slice(0, 19) === local;
	const zone = zulu ? 'Z' : offset && `${offset}:${more}`;
	const at = isOfCalendar && (zone ? Date.parse(`${local}${zone}`) : localTime(local, timeZone));
	return typeof at !== 'number' || Number.isNaN(at)
		? refused(text, 'is not a time of the calendar')
		: {ok: true, schedule: {kind: 'once', at: at + millisecond}};
}

/** The first instant at which clocks in the zone show `local`; if they skip it, the instant as much later. */
const localTime = (local: string, timeZone: string): number | undefined =>
	new Cron(local, {timezone: timeZone, allowPast: true}).getOnce()?.getTime();

function parseCron(text: string, timeZone: string): ParsedSchedule {
	const fields = text === '' ? 0 : text.split(/\s+/).length;
	if (fields !== 5 && fields !== 6) {
		return refused(text, 'is not a schedule');
	}

	try {
		const pattern = new Cron(text, {
			timezone: timeZone,
			mode: '5-or-6-parts',
			fixedTimeRule: 'no-wildcard',
		});
		// Patterns contain no years: a date that does not occur in the thousand years that croner searches never occurs.
		return pattern.nextRun(new Date(0)) === null
			? refused(text, 'never fires, no date is like that')
			: {ok: true, schedule: {kind: 'cron', pattern}};
	} catch (error) {
		return refused(text, `is not a schedule (${messageOf(error).replace(/^Cron\w+: /, '')})`);
	}
}

const refused = (text: string, complaint: string): ParsedSchedule => ({
	ok: false,
	problem: escapeLine(`"${escapeLine(text, maxScheduleLength)}" ${complaint}: ${allowed}`),
});
