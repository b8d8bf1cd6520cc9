import {codeOf} from '../../core/errors.ts';
import type {ConnectFailure} from './open-transport.ts';
import type {StdioFacts} from './stdio-transport.ts';

/** Why a command could not be started; `undefined` for another error. The command is quoted as it is written. */
export function spawnFailure(error: unknown, command: string): ConnectFailure | undefined {
	switch (codeOf(error)) {
		case 'ENOENT': {
			const where = command.includes('/') ? 'is not there' : 'was not found in its PATH';
			return {message: `Command "${command}" ${where}`, kind: 'permanent'};
		}

		case 'EACCES': {
			return {message: `Command "${command}" may not be executed`, kind: 'permanent'};
		}

		case 'ENOEXEC':
		case 'EFTYPE': {
			return {message: `Command "${command}" is no program`, kind: 'permanent'};
		}

		case 'E2BIG': {
			return {message: 'Its arguments and environment are too long', kind: 'permanent'};
		}

		case 'ERR_INVALID_ARG_VALUE': {
			return {message: 'Its command, args or env hold a NUL character', kind: 'permanent'};
		}

		case 'EAGAIN':
		case 'EMFILE':
		case 'ENFILE':
		case 'ENOMEM': {
			return {message: 'The system has no room for its process at present', kind: 'passing'};
		}

		default: {
			return undefined;
		}
	}
}

/** How a connection to a stdio server ended: our reason, or how its process exited and what it said is wrong. */
export function endOfProcess({
	process,
	complaint,
	isEstablished,
}: {
	readonly process?: StdioFacts;
	readonly complaint?: string | undefined;
	readonly isEstablished: boolean;
}): ConnectFailure {
	const kind = isEstablished ? 'stream-lost' : 'passing';
	if (process?.reason !== undefined) {
		return {message: process.reason, kind};
	}

	const said = complaint === undefined ? '' : `: ${complaint}`;
	return {message: `${howEnded(process?.exit)}${said}`, kind};
}

function howEnded(exit: StdioFacts['exit']): string {
	if (!exit) {
		return 'It closed the connection';
	}

	return exit.signal === null
		? `It exited with code ${exit.code}`
		: `It was ended by ${exit.signal}`;
}
