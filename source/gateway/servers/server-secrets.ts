import type {Config} from '../../config/config.ts';
import {expandServer} from '../../config/expand-server.ts';
import {contextVariables} from '../../config/server-references.ts';
import {derive} from '../../core/derive.ts';

/**
 * What tool servers hold that must not be shown, once their variables are put in, for every profile. The same array while nothing changed: what is made of many
 * secrets is dear.
 */
export function createServerSecrets(
	config: () => Pick<Config, 'toolServers' | 'profiles' | 'toolsets'>,
): () => readonly string[] {
	const secrets = derive(secretsOf);
	return () => secrets(config());
}

function secretsOf(
	given: Pick<Config, 'toolServers' | 'profiles' | 'toolsets'>,
): readonly string[] {
	const {toolServers, profiles, toolsets} = given;
	if (toolServers.size === 0) {
		return [];
	}

	const found = new Set<string>();
	for (const {environment} of [profiles.of('default'), ...profiles.others]) {
		const scope = {environment, context: contextVariables(environment, toolsets.terminal.workdir)};
		for (const server of toolServers.values()) {
			const expanded = expandServer(server, scope);
			for (const secret of expanded.ok ? expanded.secrets : []) {
				found.add(secret);
			}
		}
	}

	return [...found];
}

/** Two lists as one, which stays the same object while both do. Asked for every text that is redacted. */
export function joinLists<Value>(
	one: () => readonly Value[],
	other: () => readonly Value[],
): () => readonly Value[] {
	let joined: readonly Value[] = [];
	let joinedOf = [joined, joined];
	return () => {
		const lists = [one(), other()];
		if (lists.some((list, index) => list !== joinedOf[index])) {
			joinedOf = lists;
			joined = lists.flatMap(list => list);
		}

		return joined;
	};
}
