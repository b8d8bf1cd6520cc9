import {SvcError} from '../../core/errors.ts';
import {contract} from '../../gateway/contract/contract.ts';
import type {Operation} from '../../gateway/contract/operation.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {changesSomething} from '../../gateway/read-only-port.ts';

export type LookOnly = {
	/** Answers what only asks, and refuses everything else with `snapshot_only_looks`. */
	readonly port: GatewayPort;
	/** Whether an answer has not come yet. */
	readonly isAnswering: () => boolean;
};

const refuse = (name: string) => async () => {
	throw new SvcError('snapshot_only_looks', `Cannot do "${name}" in a snapshot: it only looks`);
};

/** A gateway that can be looked at, whatever keys are pressed. */
export function lookOnly(port: GatewayPort): LookOnly {
	let open = 0;
	const ask =
		(name: keyof typeof contract) =>
		async (...args: readonly unknown[]): Promise<unknown> => {
			open += 1;
			try {
				// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller's own arguments, for the command that it named
				return await (port[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
			} finally {
				open -= 1;
			}
		};

	const commands = Object.entries<Operation>(contract).map(([name, operation]) => [
		name,
		changesSomething(operation)
			? refuse(name)
			: // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of the table
				ask(name as keyof typeof contract),
	]);
	return {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each command of the table, with the arguments and answers of the one behind it
		port: {...port, ...Object.fromEntries(commands)} as GatewayPort,
		isAnswering: () => open > 0,
	};
}
