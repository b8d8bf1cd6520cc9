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
		const near =
			nearestName(unknown, names) ??
			names.find(name => name.startsWith(unknown)) ??
			commandOfGroup(command, unknown);
		command.error(`error: unknown command "${unknown}"${near ? `, did you mean "${near}"` : ''}`);
	}
}

/** `gateway status" or "mcp status` for `status`: the commands of this name in groups, where those are at most three. What allows is never proposed. */
function commandOfGroup(command: Command, name: string): string | undefined {
	const groups = command.commands.filter(({commands}) => commands.some(one => one.name() === name));
	return groups.length === 0 || groups.length > 3 || name === 'allow'
		? undefined
		: groups.map(group => `${group.name()} ${name}`).join('" or "');
}
