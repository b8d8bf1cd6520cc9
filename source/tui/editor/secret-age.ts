const dayMs = 86_400_000;

/** From then on a person is told that it is old, without being asked for anything. */
const oldDays = 180;

/** How old a secret is; of an old one, also by which key a new one is made. */
export function secretAge(
	since: number | undefined,
	{now, key}: {readonly now: number; readonly key: string},
): string {
	if (since === undefined || Number.isNaN(since)) {
		return 'age unknown';
	}

	const days = Math.max(0, Math.floor((now - since) / dayMs));
	const age = days === 0 ? 'of today' : days === 1 ? '1 day old' : `${days} days old`;
	return days >= oldDays ? `! ${age}: ${key} makes a new one` : age;
}
