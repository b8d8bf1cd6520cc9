import {termsOf, textTerm} from '../../../source/core/filter/terms.ts';
import type {Act} from '../../../source/nouns/act.ts';
import {column, fact, mainColumn, type Noun} from '../../../source/nouns/noun.ts';

/** A made-up thing. */
export type Tunnel = {readonly name: string; readonly port: number; readonly isOpen: boolean};

export const tunnelNoun: Noun<Tunnel> = {
	one: 'tunnel',
	many: 'tunnels',
	argument: 'name',
	missing: 'not_found',
	id: ({name}) => name,
	name: ({name}) => name,
	columns: [
		mainColumn('name', {least: 8, most: 24}, ({name}) => name),
		column('port', 6, {value: ({port}) => String(port), align: 'end'}),
		column('state', 8, ({isOpen}) => (isOpen ? '● open' : '○ closed')),
	],
	printed: {
		columns: ['name', 'port', 'state'],
		whole: ['name'],
		optional: ['port'],
		empty: 'No tunnels',
	},
	factCells: 6,
	head: ({name}) => [{text: name, tone: 'strong'}],
	facts: ({port, isOpen}) => [
		...fact('port', String(port)),
		...fact('state', isOpen ? 'open' : 'closed'),
	],
	copies: {
		label: 'copy port',
		why: ({isOpen, name}) => (isOpen ? `${name} is open: close it first` : undefined),
		of: ({port}) => ({label: 'port', text: String(port)}),
	},
	vocabulary: {
		terms: termsOf<Tunnel>({
			name: textTerm(({name}) => name, {says: 'what it is called', example: 'name:office'}),
		}),
		haystack: ({name, port}) => `${name} ${port}`,
	},
};

/** What gateways would do with tunnels. */
export const tunnels: Tunnel[] = [];

function change(name: string, isOpen: boolean, said: string) {
	const index = tunnels.findIndex(one => one.name === name);
	const changed = {...(tunnels[index] ?? {name, port: 0}), isOpen};
	return index === -1
		? undefined
		: {said: `${name} is ${said}`, json: (tunnels[index] = changed) && changed};
}

export const tunnelActs: ReadonlyArray<Act<Tunnel, unknown>> = [
	{
		verb: 'open',
		key: 'o',
		says: 'open a tunnel',
		why: ({isOpen, name}) => (isOpen ? `${name} is open` : undefined),
		effect: async (_, name) => change(name, true, 'open'),
		gone: 'there is none',
	},
	{
		verb: 'close',
		key: 'D',
		says: 'close a tunnel',
		ask: ({name, port}) => ({
			title: `Close ${name}?`,
			lines: [`Nothing reaches port ${port} any more.`],
			act: 'close it',
		}),
		effect: async (_, name) => change(name, false, 'closed'),
		gone: 'there is none',
	},
];
