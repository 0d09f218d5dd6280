import ts from 'typescript';

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

export interface Use {
  readonly what: string;
  readonly line: number;
}

export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** All module specifiers: static and dynamic imports, re-exports, `require` and `import('x')` types. */
export function findImports(source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined): void => {
    if (node !== undefined && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, line: lineOf(source, node) });
  };
  visit(source, (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined);
    else if (ts.isCallExpression(node) && isImportCall(node)) add(node.arguments[0]);
  });
  return found;
}

/** Uses of the named globals as values or types; properties and keys of the same name do not count. */
export function findGlobals(source: ts.SourceFile, names: ReadonlySet<string>): Use[] {
  const found: Use[] = [];
  visit(source, (node) => {
    if (ts.isIdentifier(node) && names.has(node.text) && !isPropertyName(node))
      found.push({ what: node.text, line: lineOf(source, node) });
  });
  return found;
}

/** `async` functions, `await`, and expressions that read the clock or draw randomness. */
export function findConstructs(source: ts.SourceFile): Use[] {
  const found: Use[] = [];
  visit(source, (node) => {
    if (node.kind === ts.SyntaxKind.AsyncKeyword) found.push({ what: 'async', line: lineOf(source, node) });
    else if (ts.isAwaitExpression(node)) found.push({ what: 'await', line: lineOf(source, node) });
    else if (ts.isPropertyAccessExpression(node) && impure.has(node.getText(source))) {
      found.push({ what: node.getText(source), line: lineOf(source, node) });
    } else if (isPresentTime(node)) found.push({ what: 'the time of day', line: lineOf(source, node) });
  });
  return found;
}

/** Classes that extend something else than an error of the language. */
export function findInheritance(source: ts.SourceFile): Use[] {
  const found: Use[] = [];
  visit(source, (node) => {
    if (!ts.isHeritageClause(node) || node.token !== ts.SyntaxKind.ExtendsKeyword || !ts.isClassLike(node.parent)) return;
    const base = node.types[0]!.expression.getText(source);
    if (!/^(Type|Range|Syntax)?Error$/.test(base)) found.push({ what: `extends ${base}`, line: lineOf(source, node) });
  });
  return found;
}

const impure: ReadonlySet<string> = new Set(['Math.random', 'Date.now']);

/** `new Date()` and `Date()`; a `Date` of a given time is no clock. */
function isPresentTime(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return ts.isIdentifier(node.expression) && node.expression.text === 'Date';
  return ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0;
}

function isImportCall(node: ts.CallExpression): boolean {
  return (
    node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(node.expression) && node.expression.text === 'require')
  );
}

function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isGetAccessor(parent)) &&
    parent.name === node
  );
}

function visit(node: ts.Node, each: (node: ts.Node) => void): void {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}
