import {rotateLogins} from '../../tests/soak/logins.ts';

const usualRotations = 1000;

/** Ten processes with six calls each at once, whose token is refused a thousand times: no login may be lost, no refresh token come twice. */
export async function soakLogins({
	rounds = usualRotations,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	const report = await rotateLogins({processes: 10, calls: 6, rotations: rounds});
	process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
	return report.loggedIn && report.wrong.length === 0 && report.refreshes === rounds;
}
