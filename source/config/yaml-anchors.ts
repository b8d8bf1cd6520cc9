import {type Alias, type Document, isAlias, isNode, type Node, visit} from 'yaml';
import {SvcError} from '../core/errors.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {KeyPath} from './plain-data.ts';

/**
 * Refuses to set or remove what stands at `path` when that would change other places too, or leave them without their value: on the way there is an alias, or
 * an anchor (`&name`) that an alias (`*name`) elsewhere refers to. An alias that is itself replaced does not count.
 *
 * @throws SvcError `config_not_editable` naming the anchor
 */
export function refuseSharedValue(document: Document, path: KeyPath): void {
	const aliases = aliasesIn(document);
	if (aliases.length === 0) {
		return;
	}

	for (let length = 0; length < path.length; length++) {
		const node = nodeAt(document, path.slice(0, length));
		if (isAlias(node) || aliases.some(alias => alias.resolve(document) === node)) {
			throw shared(path, isAlias(node) ? node.source : anchorOf(node));
		}
	}

	const replaced = nodesIn(nodeAt(document, path));
	for (const alias of aliases) {
		const target = alias.resolve(document);
		if (target && replaced.has(target) && !replaced.has(alias)) {
			throw shared(path, alias.source);
		}
	}
}

const shared = (path: KeyPath, anchor: string): SvcError => {
	const name = escapeLine(anchor, 100);
	return new SvcError(
		'config_not_editable',
		`Cannot change "${path.join('.')}": its value is shared through the anchor "&${name}"; write it out in each place where "*${name}" stands`,
	);
};

const nodeAt = (document: Document, path: KeyPath): unknown => document.getIn(path, true);

const anchorOf = (node: unknown): string =>
	isNode(node) && 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : '';

function aliasesIn(document: Document): readonly Alias[] {
	const aliases: Alias[] = [];
	visit(document, {
		Alias(_, alias) {
			aliases.push(alias);
		},
	});
	return aliases;
}

/** A node with everything below it. */
function nodesIn(root: unknown): ReadonlySet<Node> {
	const nodes = new Set<Node>();
	if (isNode(root)) {
		visit(root, {
			Node(_, node) {
				nodes.add(node);
			},
		});
	}

	return nodes;
}
