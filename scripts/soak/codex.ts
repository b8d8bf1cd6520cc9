import {existsSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {workWithCodex} from '../../tests/soak/codex.ts';

const usualRounds = 1;

/** A turn with tools of OpenAI's Codex against the chat API, once unless said otherwise. The program is that of `CODEX`, or `codex` on PATH. */
export async function soakCodex({
	rounds = usualRounds,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	const program = process.env['CODEX'] ?? onPath('codex');
	if (program === undefined || !existsSync(program)) {
		process.stderr.write(
			`Cannot find ${program ?? '"codex" on PATH'}: install it somewhere (npm install --prefix DIR @openai/codex) and say CODEX=DIR/node_modules/.bin/codex\n`,
		);
		return false;
	}

	let holds = true;
	for (let round = 1; round <= rounds; round++) {
		const report = await workWithCodex(program);
		process.stdout.write(`${JSON.stringify({round, ...report}, undefined, 2)}\n`);
		holds &&= report.wrong.length === 0;
	}

	return holds;
}

const onPath = (name: string): string | undefined =>
	(process.env['PATH'] ?? '')
		.split(delimiter)
		.map(folder => join(folder, name))
		.find(existsSync);
