import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

export type KillingClient = AsyncDisposable & {
	/** A `PATH` on which the client comes first. */
	readonly path: string;
	/** The next call with a comment that begins so kills the gateway that made it, once the comment is posted. */
	killNext(beginning: string): Promise<void>;
	/** No call kills any more. */
	spare(): Promise<void>;
	/** Texts of the comments so far, one line each. */
	comments(): Promise<readonly string[]>;
};

// A call in a burst of hundreds: bash alone, which starts no other program.
const program = `#!/bin/bash
cd "\${0%/*}" || exit 1
IFS= read -r -d '' body
printf '%s\\n' "\${body%%$'\\n'*}" >> comments
read -r beginning 2>/dev/null < kill || exit 0
if [[ $body == "$beginning"* ]] && rm kill 2>/dev/null; then kill -9 "$PPID"; fi
`;

/** A code host's client named `gh` that can take its gateway with it. */
export async function installKillingClient(): Promise<KillingClient> {
	const folder = await mkdtemp(join(tmpdir(), 'svc-forge-'));
	const at = (name: string) => join(folder, name);
	await writeFile(at('gh'), program);
	await chmod(at('gh'), 0o755);
	await writeFile(at('comments'), '');
	return {
		path: [folder, process.env['PATH'] ?? ''].join(delimiter),
		killNext: async beginning => writeFile(at('kill'), `${beginning}\n`),
		spare: async () => rm(at('kill'), {force: true}),
		async comments() {
			return (await readFile(at('comments'), 'utf8')).split('\n').filter(line => line !== '');
		},
		[Symbol.asyncDispose]: async () => rm(folder, {recursive: true, force: true}),
	};
}
