const maxLookedLength = 1_000_000;

const escaped = (name: string) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The line (from 1) of `config.yaml` where a tool server begins; of `mcp_servers` when its name is not found; `undefined` without that. */
export function serverLine(text: string, name: string): number | undefined {
	const lines = text.slice(0, maxLookedLength).split('\n');
	const start = lines.findIndex(line => /^["']?mcp_servers["']?\s*:/.test(line));
	if (start === -1) {
		return undefined;
	}

	const end = lines.findIndex((line, index) => index > start && /^[^\s#]/.test(line));
	const wanted = new RegExp(`^\\s+["']?${escaped(name)}["']?\\s*:`);
	const inside = lines.slice(start, end === -1 ? undefined : end);
	const found = inside.findIndex(line => wanted.test(line));
	return start + Math.max(0, found) + 1;
}
