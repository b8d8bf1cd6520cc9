import {SvcError} from '../core/errors.ts';
import {contract} from './contract/contract.ts';
import type {Operation} from './contract/operation.ts';
import type {GatewayCommands, GatewayPort} from './port.ts';

/** Whether calling the operation changes something: true of every POST not marked with `looks`. */
export const changesSomething = ({method, looks}: Operation): boolean =>
	method !== 'GET' && looks !== true;

/** A port to the same gateway whose commands that change something reject with `read_only`, even if a face calls one by mistake. */
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
