import {PassThrough} from 'node:stream';
import type {Context, ExitCode} from './context.ts';

/** An empty input: the lines of a pipe belong to the prompt, not to its commands. */
export function emptyInput(): NodeJS.ReadStream {
	const input = new PassThrough();
	input.end();
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream that is no terminal
	return input as unknown as NodeJS.ReadStream;
}

/** Runs another command line without questions; `text` is its whole output. Never rejects. */
export async function runCaptured(
	{run, environment, clock}: Pick<Context, 'clock' | 'environment' | 'run'>,
	argv: readonly string[],
	signal?: AbortSignal,
): Promise<{readonly code: ExitCode; readonly text: string}> {
	const written: string[] = [];
	const output = () => {
		const stream = Object.assign(new PassThrough(), {isTTY: false});
		stream.setEncoding('utf8').on('data', (text: string) => {
			written.push(text);
		});
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream that is no terminal
		return stream as unknown as NodeJS.WriteStream;
	};
	const code = await run(argv, {
		stdin: emptyInput(),
		stdout: output(),
		stderr: output(),
		environment,
		clock,
		...(signal && {signal}),
	});
	return {code, text: written.join('')};
}
