import {SvcError} from '../core/errors.ts';
import {contract} from './contract/contract.ts';
import type {Operation} from './contract/operation.ts';
import type {GatewayCommands, GatewayPort} from './port.ts';

/** Whether a call of the operation changes something: everything that is no GET, unless it says otherwise. */
export const changesSomething = ({method, looks}: Operation): boolean =>
	method !== 'GET' && looks !== true;

/** The same gateway without changes: every command that changes something rejects with `read_only`, also where a face calls it by mistake. */
export function readOnlyPort(port: GatewayPort): GatewayPort {
	const refused = Object.entries<Operation>(contract)
		.filter(([, operation]) => changesSomething(operation))
		.map(([name]) => [name, async () => refuse(name)] as const);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what always rejects has the type of any command
	const commands = Object.fromEntries(refused) as unknown as Partial<GatewayCommands>;
	return {...port, ...commands, isReadOnly: true};
}

async function refuse(name: string): Promise<never> {
	throw new SvcError('read_only', `Cannot call "${name}": this face was opened with --read-only`);
}
