/** `2026-11-20 15:04:02` on the clocks of an IANA zone. */
export const zonedTime = (at: number, timeZone: string): string =>
	// The one locale whose times are ISO 8601 but for the blank.
	new Intl.DateTimeFormat('sv-SE', {
		timeZone,
		dateStyle: 'short',
		timeStyle: 'medium',
	}).format(at);

/** `2026-11-20T15:04:02+01:00` on the clocks of an IANA zone. */
export function zonedIsoTime(at: number, timeZone: string): string {
	const local = zonedTime(at, timeZone).replace(' ', 'T');
	const minutes = Math.round((Date.parse(`${local}Z`) - at) / 60_000);
	const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
	return `${local}${minutes < 0 ? '-' : '+'}${twoDigits(hour)}:${twoDigits(minute)}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
