/** Result of a check. `unknown`: it was not made, or gave no answer. */
export type Health = 'ok' | 'warning' | 'failed' | 'unknown';

/** One line about the installation. Texts may be untrusted: clean them before they are shown. */
export type Finding = {
	/** The checked part: `port`, `model`. */
	readonly subject: string;
	readonly health: Health;
	readonly found: string;
	/** The remedy: a command, or a line of configuration. */
	readonly mend?: string;
};

/** The sign of a result, shown at the start of its line beside the word. */
export const healthSigns: Readonly<Record<Health, string>> = {
	ok: '✓',
	warning: '!',
	failed: '✗',
	unknown: '–',
};

/** `2 fail, 1 warning, 14 ok`. */
export function summaryOf(findings: readonly Pick<Finding, 'health'>[]): string {
	const count = (health: Health) => findings.filter(finding => finding.health === health).length;
	const [failed, warnings, unknown] = [count('failed'), count('warning'), count('unknown')];
	return [
		failed === 0 ? 'nothing fails' : `${failed} ${failed === 1 ? 'fails' : 'fail'}`,
		`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
		`${count('ok')} ok`,
		...(unknown === 0 ? [] : [`${unknown} not known`]),
	].join(', ');
}
