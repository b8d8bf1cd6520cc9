import {type Safe, escapeLine} from '../../core/untrusted.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** `15:04:02`, local time. */
export const clockTime = (at: number): Safe =>
	escapeLine(`${minuteTime(at)}:${two(new Date(at).getSeconds())}`);

/** `15:04`, local time. */
export function minuteTime(at: number): Safe {
	const date = new Date(at);
	return escapeLine(`${two(date.getHours())}:${two(date.getMinutes())}`);
}

/** `+01:00`, `UTC`: the offset of local time. */
export function offsetText(at: number): Safe {
	const minutes = -new Date(at).getTimezoneOffset();
	return escapeLine(minutes === 0 ? 'UTC' : offset(minutes));
}

const offset = (minutes: number): string =>
	`${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;

/** `15:04 +01:00`, for a reader in another time zone. */
export const minuteTimeThere = (at: number): Safe =>
	escapeLine(`${minuteTime(at)} ${offsetText(at)}`);

/** `15:04:02.870`, local time. */
export const preciseTime = (at: number): Safe =>
	escapeLine(`${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`);

/** `2026-11-20 15:04:02.870`, local time. */
export const fullTime = (at: number): Safe => escapeLine(`${dayText(at)} ${preciseTime(at)}`);

function dayText(at: number): string {
	const date = new Date(at);
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `0:41`, `12:05`, `1:02:03`. */
export function duration(ms: number): Safe {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const hours = Math.floor(seconds / 3600);
	const minutes = Math.floor(seconds / 60) % 60;
	const rest = two(seconds % 60);
	return escapeLine(hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`);
}

/** `18.2 kB`. */
export function bytes(count: number): Safe {
	if (count < 1000) {
		return escapeLine(`${count} B`);
	}

	const [value, unit] = count < 1e6 ? [count / 1000, 'kB'] : [count / 1e6, 'MB'];
	return escapeLine(`${value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`);
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `Nov 24 09:00`, local time. */
export function dayTime(at: number): Safe {
	const date = new Date(at);
	return escapeLine(`${months[date.getMonth()] ?? ''} ${two(date.getDate())} ${minuteTime(at)}`);
}

/** Whether two times are on one day, local time. */
export const isSameDay = (one: number, other: number): boolean =>
	new Date(one).toDateString() === new Date(other).toDateString();

/** `3s`, `4m`, `2h`, `5d`. */
export function ageText(ms: number): Safe {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const [unit, length] = ageUnits.find(([, least]) => seconds >= least) ?? ['s', 1];
	return escapeLine(`${Math.floor(seconds / length)}${unit}`);
}

const ageUnits = [
	['d', 86_400],
	['h', 3600],
	['m', 60],
] as const;

/** `2026-12-31 23:59Z`: days of usage and expiry of keys are in UTC. */
export const utcTime = (at: number): Safe =>
	escapeLine(`${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`);

/** `2026-11-20 15:04:02` in local time. */
export const printableTime = (at: number): Safe => escapeLine(`${dayText(at)} ${clockTime(at)}`);

/** `2026-11-20 15:04:02` in an IANA time zone. */
export const zonedTime = (at: number, timeZone: string): string =>
	// The only locale that formats times like ISO 8601, except for the blank.
	new Intl.DateTimeFormat('sv-SE', {timeZone, dateStyle: 'short', timeStyle: 'medium'}).format(at);

/** `2026-11-20T15:04:02+01:00` in an IANA time zone. */
export function zonedIsoTime(at: number, timeZone: string): string {
	const local = zonedTime(at, timeZone).replace(' ', 'T');
	return local + offset(Math.round((Date.parse(`${local}Z`) - at) / 60_000));
}
