import type {Command} from 'commander';
import {nearestName} from '../../core/nearest-name.ts';

/**
 * Ends with a usage error when words follow a command that does something without any: they were meant to be one of its commands, and what it does
 * by itself is not what was wanted.
 */
export function refuseUnknownCommand(command: Command): void {
	const [unknown] = command.args;
	if (unknown !== undefined) {
		const names = command.commands.map(one => one.name());
		const near = nearestName(unknown, names) ?? names.find(name => name.startsWith(unknown));
		command.error(`error: unknown command "${unknown}"${near ? `, did you mean "${near}"` : ''}`);
	}
}
