import {clockCases, timeIsFaked, wallClock} from '../../tests/soak/clock.ts';

/** Every case of a wall clock that is wrong or jumps, `rounds` times (once unless said otherwise). Needs libfaketime (Debian: `faketime`). */
export async function soakClock({
	rounds = 1,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	if (!timeIsFaked()) {
		process.stderr.write('Cannot fake the time: install libfaketime (Debian: faketime)\n');
		return false;
	}

	const wrong: string[] = [];
	for (let round = 0; round < rounds; round++) {
		for (const one of clockCases) {
			process.stderr.write(`${one.start}, jump ${one.jumpSeconds} s\n`);
			wrong.push(...(await wallClock(one)));
		}
	}

	process.stdout.write(
		`${JSON.stringify({cases: clockCases.length * rounds, wrong}, undefined, 2)}\n`,
	);
	return wrong.length === 0;
}
