// The examples have the address of a first start: here it is replaced by the one at which they are read.
export function withOwnAddress(text) {
  return text.replaceAll('http://127.0.0.1:3000/api/', `${location.origin}/api/`);
}

for (const code of document.querySelectorAll('.guide code')) {
  const text = withOwnAddress(code.textContent);
  if (text !== code.textContent) code.textContent = text;
}
