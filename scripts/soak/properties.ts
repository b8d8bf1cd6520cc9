import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Every test of a property with all of its tries, `rounds` times, once unless said otherwise. */
export async function soakProperties({
	rounds = 1,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	const files = readdirSync('tests', {recursive: true, encoding: 'utf8'})
		.filter(name => /\.test\.tsx?$/.test(name))
		.map(name => join('tests', name))
		.filter(file => /\b(?:propertyRuns|someAttacks)\(/.test(readFileSync(file, 'utf8')));
	for (let round = 0; round < rounds; round++) {
		const {status} = spawnSync('vitest', ['run', ...files], {
			stdio: 'inherit',
			env: {...process.env, PROPERTY_RUNS: 'thorough'},
		});
		if (status !== 0) {
			return false;
		}
	}

	return true;
}
